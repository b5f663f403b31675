// libFuzzer: any bytes are imported or refused, as a graph and as a program. Small graphs are built
// and run on the reference kernels too.
#include "webnn/executorch.h"
#include "tests/fuzz/small_graphs.h"

using namespace webnn;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Exactly as many bytes, so that the sanitizer sees a read beyond them.
  const std::vector<std::uint8_t> bytes(data, data + size);
  const auto view = std::as_bytes(std::span(bytes));
  try {
    executorch::read_info(view);
  } catch (const Error&) {}
  try {
    MLGraphBuilder builder(fuzz::context());
    const auto model = executorch::import_model(builder, view, {.max_bytes = 1 << 16});
    if (fuzz::is_run(data, size)) fuzz::run_if_small(builder, model.outputs, model.inputs);
  } catch (const Error&) {}
  return 0;
}
