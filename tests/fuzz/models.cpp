// libFuzzer: any bytes are of a format that is built, by their content, or refused.
#include "webnn/models.h"
#include "tests/fuzz/small_graphs.h"

using namespace webnn;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Exactly as many bytes, so that the sanitizer sees a read beyond them.
  const auto owner = std::make_shared<std::vector<std::uint8_t>>(data, data + size);
  try {
    MLGraphBuilder builder(fuzz::context());
    const ImportedModel model =
        import_model(builder, owner, std::as_bytes(std::span(*owner)), {.max_bytes = 1 << 16});
    if (fuzz::is_run(data, size)) fuzz::run_if_small(builder, model.outputs, model.inputs);
  } catch (const Error&) {}
  return 0;
}
