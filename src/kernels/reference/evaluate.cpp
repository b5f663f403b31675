#include "src/kernels/reference/evaluate.h"

#include "src/kernels/common/aligned_bytes.h"
#include "src/kernels/reference/kernels.h"

namespace webnn::inline v0_1 {

bool can_evaluate(const Node& node) { return reference::has_kernel(node); }

std::vector<Constant> evaluate(const Node& node) {
  const Candidate kernel = reference::make_kernel(node);
  std::vector<const std::byte*> inputs;
  for (const MLOperand& x : node.inputs()) inputs.push_back(x.constant()->bytes().data());
  std::vector<std::byte*> outputs;
  std::vector<Constant> results;
  for (const MLOperand& y : node.outputs()) {
    const std::size_t bytes = byte_length(y.descriptor());
    AlignedBytes memory = aligned_bytes(bytes);
    outputs.push_back(memory.get());
    const std::shared_ptr<const std::byte> owner(memory.release(), FreeAligned());
    results.push_back(Constant::transferred(owner, std::span(owner.get(), bytes)));
  }
  const AlignedBytes scratch = aligned_bytes(kernel.scratch);
  kernel.run({0, kernel.tiles}, {inputs, outputs}, scratch.get());
  return results;
}

}  // namespace webnn::inline v0_1
