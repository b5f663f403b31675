// expand: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-expand
#pragma once

#include "webnn/shape/broadcast.h"

namespace webnn::inline v0_1::ops {

struct expand {
  MLOperand input;
  Dims newShape{};
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("expand", operand<&expand::input>("input", allow(types::any)),
              attribute<&expand::newShape>("newShape"), result("output", type_of("input")));
  static constexpr Traits traits{.moves = true, .rearranges = true};
};

inline Result<Shapes> infer(const expand& op) {
  if (shape::broadcasts_to(shape::sizes(op.input.shape()), shape::sizes(op.newShape)))
    return op.newShape;
  return detail::fail("the shape ({}) of input does not broadcast to {}", op.input.shape(),
                      op.newShape);
}

struct ExpandSection {
  using Operators = OpList<expand>;

  template <class Self, class Out, class... First> struct Methods {
    /// Repeats input along its dimensions of size 1, and along new ones in front, to newShape. Any
    /// data type. Throws TypeError if the shape of input does not broadcast to newShape: counted
    /// from the end, each dimension of input must be 1 or equal.
    Out expand(First... input, Dims newShape, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::expand>(input..., std::move(newShape),
                                                                  std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
