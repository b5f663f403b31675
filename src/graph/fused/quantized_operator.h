// quantizedOperator: an operator of WebNN whose operands are integers, with the scales and the zero
// points that say what they mean: what dequantizeLinear makes of them is what it computes with.
#pragma once

#include <functional>

#include "src/graph/fused/operator_form.h"
#include "src/graph/requantization.h"

namespace webnn::inline v0_1 {

class Node;

namespace fused {

struct quantizedOperator {
  /// For each operand that is dequantized the integers, the scale and the zero point; behind them
  /// the other operands, which are constants, in the order in which the operator has them.
  std::vector<MLOperand> inputs;
  OperatorForm form{};
  MLOperandDataType dataType{};  ///< of the result
  /// For each operand of the operator the number of what it is: first those that are dequantized,
  /// then the others.
  std::vector<std::uint32_t> operands{};
  /// For each operand that is dequantized the shape that it is reshaped to, if it is.
  std::vector<std::optional<std::vector<std::uint32_t>>> shapes{};
  Requantization requantization{};
  MLOperatorOptions options{};

  static constexpr auto declaration =
      ops::declare("quantizedOperator",
                   ops::operand<&quantizedOperator::inputs>("inputs", ops::allow(types::stored)),
                   ops::attribute<&quantizedOperator::form>("operator"),
                   ops::attribute<&quantizedOperator::dataType>("dataType"),
                   ops::attribute<&quantizedOperator::operands>("operands"),
                   ops::attribute<&quantizedOperator::shapes>("shapes"),
                   ops::attribute<&quantizedOperator::requantization>("requantization"),
                   ops::result<&quantizedOperator::dataType>("output", ops::allow(types::stored)));
};

/// The descriptors of the results of an operator whose operands belong to a graph, or why it is not
/// valid.
using Validate = std::function<Result<std::vector<MLOperandDescriptor>>(
    std::size_t kind, const void* op, const GraphData* graph)>;

Result<ops::Shapes> infer(const quantizedOperator& op);
/// The same, where the operators of the composition may not be valid.
Result<ops::Shapes> infer(const quantizedOperator& op, const Validate& validate);
MLOperand compose(const quantizedOperator& op, Composer& to);

}  // namespace fused

/// The name of the operator that a node is, or of the one that a quantizedOperator has.
std::string_view operator_name(const Node& node);

}  // namespace webnn::inline v0_1
