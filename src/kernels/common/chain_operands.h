// What the recognition of operators that are written out asks of nodes and operands.
#pragma once

#include <algorithm>
#include <optional>

#include "src/kernels/common/convolution.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// The value of a constant with one element.
inline std::optional<double> number_of(const MLOperand& x) {
  if (!x.constant() || x.dataType() != float32 || element_count(x.shape()) != 1)
    return std::nullopt;
  return floats_of(x).front();
}
/// The other operand of a product or sum with y; null if y is not an operand of it.
template <class Op> MLOperand other_operand(const Node& node, const MLOperand& y) {
  const auto* op = node.as<Op>();
  if (!op) return {};
  return op->a.is(y) ? op->b : op->b.is(y) ? op->a : MLOperand();
}

/// The place of an operand in inputs_of(chain), which has it.
inline std::size_t slot_of(Chain chain, const MLOperand& x) {
  const std::vector<MLOperand> inputs = inputs_of(chain);
  const auto found =
      std::find_if(inputs.begin(), inputs.end(), [&](const MLOperand& o) { return o.is(x); });
  return static_cast<std::size_t>(found - inputs.begin());
}

/// The place in inputs_of(chain) of an operand of one of its nodes, by its index among the operands
/// of the node; -1 for an index of -1. The chain does not make it.
inline int slot_of(Chain chain, std::size_t node, int operand) {
  if (operand < 0) return -1;
  const Chain before = chain.first(node);
  const std::vector<MLOperand> all = chain[node].inputs();
  const auto outside = std::count_if(all.begin(), all.begin() + operand, [&](const MLOperand& x) {
    return std::none_of(before.begin(), before.end(),
                        [&](const Node& n) { return x.is(n.output()); });
  });
  return static_cast<int>(inputs_of(before).size()) + static_cast<int>(outside);
}

}  // namespace webnn::inline v0_1
