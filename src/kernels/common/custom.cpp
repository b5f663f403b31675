#include "src/kernels/common/custom.h"

namespace webnn::inline v0_1 {

Lowering lower_custom(const Node& node) {
  const auto& op = *as<ops::custom>(node);
  const CustomOperator& definition = *op.definition;
  if (definition.lower) {
    Lowering lowering = definition.lower(call_of(op, node.outputs()));
    auto* kernel = std::get_if<Candidate>(&lowering);
    if (kernel && kernel->name.empty()) kernel->name = "lower";
    if (kernel || !definition.compute) return lowering;
  }
  return *computed_custom(node);
}

std::optional<Candidate> computed_custom(const Node& node) {
  const auto& op = *as<ops::custom>(node);
  if (!op.definition || !op.definition->compute) return std::nullopt;
  CustomCall call = call_of(op, node.outputs());
  call.constants.clear();  // a kernel that held them would keep them in memory
  return Candidate{.name = "compute",
                   .exclusive = op.definition->exclusive,
                   .run = [definition = op.definition, call = std::move(call)](
                              Range, const Buffers& buffers, std::byte*) {
                     definition->compute(CustomRun(call, buffers));
                   }};
}

}  // namespace webnn::inline v0_1
