// libFuzzer: any bytes are imported or refused, and shown as they are. Small graphs are built, run
// on the reference kernels and written, and what is written is a model with the same inputs and
// outputs. One in two mutations takes place within one message and corrects the lengths of those
// around it, which a mutation of bytes alone breaks.
#include "webnn/onnx.h"
#include "src/formats/common/file_view.h"
#include "tests/fuzz/protobuf.h"
#include "tests/fuzz/small_graphs.h"

using namespace webnn;

namespace {

void write_and_read(const MLGraph& graph) {
  std::vector<std::byte> file;
  try {
    file = onnx::export_model(graph);
  } catch (const NotSupportedError&) { return; }
  try {
    MLGraphBuilder builder(fuzz::context());
    const onnx::Model model = onnx::import_model(builder, file);
    const MLGraph again = builder.build(model.outputs, {.inputs = model.inputs});
    if (again.inputs() != graph.inputs() || again.outputs() != graph.outputs()) __builtin_trap();
  } catch (const NotSupportedError&) {
  }  // 4 bits are refused
  catch (const Error&) {
    __builtin_trap();
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max);
  return fuzz::mutate_protobuf(data, size, max, seed / 2, &LLVMFuzzerMutate);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> bytes(data, data + size);
  try {
    MLGraphBuilder builder(fuzz::context());
    onnx::ImportOptions options{.max_bytes = 1 << 16};
    const auto model = onnx::import_model(builder, std::as_bytes(std::span(bytes)), options);
    if (fuzz::is_run(data, size))
      if (const auto graph = fuzz::run_if_small(builder, model.outputs, model.inputs))
        write_and_read(*graph);
  } catch (const Error&) {}
  try {
    const auto owner = std::make_shared<std::vector<std::uint8_t>>(bytes);
    onnx::view_file({.owner = owner, .bytes = std::as_bytes(std::span(*owner))},
                    {.max_bytes = 1 << 16});
  } catch (const Error&) {}
  return 0;
}
