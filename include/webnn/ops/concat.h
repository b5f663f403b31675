// concat: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-concat
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1::ops {

struct concat {
  std::vector<MLOperand> inputs;
  std::uint32_t axis = 0;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("concat", operand<&concat::inputs>("inputs", alike(types::any, {.min = 1})),
              attribute<&concat::axis>("axis"), result("output", same_as("inputs")));
  static constexpr Traits traits{.moves = true, .rearranges = true};
};

inline Result<Shapes> infer(const concat& op) {
  if (op.inputs.empty() || op.inputs.size() > 8192)
    return detail::fail("the number ({}) of inputs is not between 1 and 8192", op.inputs.size());
  const MLOperand& first = op.inputs.front();
  if (auto bad = shape::check_axis(op.axis, first, "inputs[0]")) return *bad;
  Sizes out = shape::sizes(first.shape());
  for (std::size_t i = 1; i < op.inputs.size(); ++i) {
    const Dims& next = op.inputs[i].shape();
    for (std::size_t d = 0; d < out.size(); ++d)
      if (d != op.axis && next[d] != out[d])
        return detail::fail("dimension {} ({}) of inputs[{}] differs from that of inputs[0] ({})",
                            d, next[d], i, out[d]);
    out[op.axis] += next[op.axis];
  }
  return out;
}

struct ConcatSection {
  using Operators = OpList<concat>;

  template <class Self, class Out, class... First> struct Methods {
    /// The inputs one after the other along axis: 1 to 8192 operands of one data type, which may be
    /// any, and of one rank above 0. Throws TypeError if the axis is not below the rank, or inputs
    /// differ in a dimension other than axis.
    Out concat(std::vector<MLOperand> inputs, std::uint32_t axis, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::concat>(std::move(inputs), axis,
                                                                  std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
