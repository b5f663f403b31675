#include "src/graph/fused/quantized_operator.h"

#include "src/graph/fused/composer.h"

namespace webnn::inline v0_1 {
namespace fused {
namespace {

/// Whether the numbers of its operands fit, each in the order of its first use.
bool fits(const quantizedOperator& op) {
  const std::size_t dequantized = op.shapes.size();
  if (!op.form || dequantized == 0 || op.inputs.size() / 3 < dequantized) return false;
  const std::size_t all = op.inputs.size() - 2 * dequantized;
  std::size_t next = 0, next_other = dequantized;
  for (const std::uint32_t i : op.operands) {
    if (i >= dequantized ? i != next_other++ : i > next) return false;
    if (i == next && i < dequantized) ++next;
  }
  return op.operands.size() == op.form.operand_count() && next == dequantized && next_other == all;
}

}  // namespace

Result<ops::Shapes> infer(const quantizedOperator& op) { return infer(op, {}); }

Result<ops::Shapes> infer(const quantizedOperator& op, const Validate& validate) {
  if (!fits(op)) return fail("the operands ({}) are not those of its operator", op.inputs.size());
  return composed_shapes(op, validate);
}

MLOperand compose(const quantizedOperator& op, Composer& to) {
  const std::size_t dequantized = op.shapes.size();
  std::vector<MLOperand> all, operands;
  for (std::size_t i = 0; i < dequantized; ++i) {
    const MLOperand* x = &op.inputs[3 * i];
    all.push_back(to.dequantized({x[0], x[1], x[2]}));
    if (const auto& shape = op.shapes[i])
      all.back() = to.add(ops::reshape{all.back(), Dims(shape->begin(), shape->end())});
  }
  for (std::size_t i = 3 * dequantized; i < op.inputs.size(); ++i) all.push_back(op.inputs[i]);
  for (const std::uint32_t i : op.operands) operands.push_back(all[i]);
  return to.add(op.form.with(operands, op.options.label), op.dataType);
}

}  // namespace fused

std::string_view operator_name(const Node& node) {
  const auto* op = as<fused::quantizedOperator>(node);
  return op ? op->form.name() : node.name();
}

}  // namespace webnn::inline v0_1
