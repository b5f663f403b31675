// libFuzzer: any bytes are imported or refused, as a model and as a node's parcel. Small graphs are
// built and run on the reference kernels too.
#include "webnn/nnrt.h"
#include "tests/fuzz/small_graphs.h"

using namespace webnn;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Exactly as many bytes, so that the sanitizer sees a read beyond them.
  const auto owner = std::make_shared<std::vector<std::uint8_t>>(data, data + size);
  const auto view = std::as_bytes(std::span(*owner));
  if (size > 0) try {
      nnrt::from_parcel(static_cast<nnrt::NodeType>(data[0]), view.subspan(1));
    } catch (const Error&) {}
  try {
    MLGraphBuilder builder(fuzz::context());
    const auto model = nnrt::import_model(builder, owner, view, {.max_bytes = 1 << 22});
    if (fuzz::is_run(data, size)) fuzz::run_if_small(builder, model.outputs, model.inputs);
  } catch (const Error&) {}
  return 0;
}
