// Operators on shapes in graphs whose sizes are known.
#pragma once

#include "src/graph/op.h"

namespace webnn::inline v0_1 {

struct GraphData;

/// Whether operators of the kind are of ops::ShapeOps.
constexpr bool is_shape_op(std::size_t kind) {
  return kind >= ops::AllOps::size && kind < ops::DeclaredOps::size;
}

/// An operand with the name of its row.
struct ShapeOperand {
  std::string_view row;
  MLOperand* operand;
};
/// The operands of an operator on shapes that have to be constants: all but its input.
std::vector<ShapeOperand> shape_operands(Op& op);

/// Adds to a graph what an operator on shapes stands for: constants, or operators of ops::AllOps.
/// Its operands belong to the graph, those that say shapes are constants, and infer() has accepted
/// it. Returns its results.
std::vector<MLOperand> resolve(GraphData& to, const Op& op);

/// A gru or lstm of an open graph, whose steps are 0 because dimension 0 of its input is open, gets
/// the number of them. `sized` is the same operator with operands of known sizes.
void set_open_steps(Op& sized, const Op& open);

}  // namespace webnn::inline v0_1
