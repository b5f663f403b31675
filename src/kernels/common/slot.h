// The indices of an operator's operands in Buffers::inputs.
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1 {

/// The index of a row's operand among those present, in the order of the rows; -1 when absent:
/// `slot<&MLConv2dOptions::bias>(op)`. For a list, the index of its first element.
template <auto Member, class Op> int slot(const Op& op) {
  int next = 0, found = -1;
  ops::for_each_operand(
      op, [&]<auto M>(const ops::Operand<M>&, const auto& value) {
        const int here = next;
        ops::each(value, [&](const MLOperand&) { ++next; });
        if constexpr (std::same_as<ops::Operand<M>, ops::Operand<Member>>)
          if (next > here) found = here;
      });
  return found;
}

}  // namespace webnn::inline v0_1
