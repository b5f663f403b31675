// libFuzzer: any bytes are imported or refused, and shown as they are. Small graphs are built and
// run on the reference kernels too.
#include "webnn/tflite.h"
#include "src/formats/common/file_view.h"
#include "tests/fuzz/small_graphs.h"

using namespace webnn;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Exactly as many bytes, so that the sanitizer sees a read beyond them.
  const std::vector<std::uint8_t> bytes(data, data + size);
  try {
    MLGraphBuilder builder(fuzz::context());
    const auto model =
        tflite::import_model(builder, std::as_bytes(std::span(bytes)), {.max_bytes = 1 << 16});
    if (fuzz::is_run(data, size)) fuzz::run_if_small(builder, model.outputs, model.inputs);
  } catch (const Error&) {}
  try {
    const auto owner = std::make_shared<std::vector<std::uint8_t>>(bytes);
    tflite::view_file({.owner = owner, .bytes = std::as_bytes(std::span(*owner))},
                      {.max_bytes = 1 << 16});
  } catch (const Error&) {}
  return 0;
}
