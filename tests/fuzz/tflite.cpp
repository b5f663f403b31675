// libFuzzer: any bytes are imported or refused. Small graphs are built and run on the reference
// kernels too.
#include "webnn/tflite.h"
#include "tests/fuzz/small_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace webnn;
  // One of eight is run, for that takes the longest.
  std::uint8_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum = static_cast<std::uint8_t>(sum + data[i]);
  static MLContext context({.threads = 1, .backends = {"reference"}});
  // Exactly as many bytes, so that the sanitizer sees a read beyond them.
  const std::vector<std::uint8_t> bytes(data, data + size);
  try {
    MLGraphBuilder builder(context);
    const auto model =
        tflite::import_model(builder, std::as_bytes(std::span(bytes)), {.max_bytes = 1 << 16});
    if (sum % 8 == 0 && fuzz::is_small(builder, model.outputs))
      fuzz::compute(context, builder.build(model.outputs));
  } catch (const Error&) {}
  return 0;
}
