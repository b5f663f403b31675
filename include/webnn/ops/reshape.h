// reshape: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-reshape-method
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1::ops {

struct reshape {
  MLOperand input;
  Dims newShape{};
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("reshape", operand<&reshape::input>("input", allow(types::any)),
              attribute<&reshape::newShape>("newShape"), result("output", type_of("input")));
  static constexpr Traits traits{.moves = true, .rearranges = true};
};

inline Result<Shapes> infer(const reshape& op) {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < op.newShape.size(); ++i) {
    if (!shape::valid_dimension(op.newShape[i]))
      return detail::fail("newShape[{}] ({}) is not between 1 and {}", i, op.newShape[i],
                          shape::max_dimension);
    count = std::min(count * op.newShape[i], shape::max_dimension + 1);  // too many already
  }
  if (count != element_count(op.input.shape()))
    return detail::fail(
        "the number of elements of newShape ({}) is not that of the shape ({}) of input",
        op.newShape, op.input.shape());
  return op.newShape;
}

struct ReshapeSection {
  using Operators = OpList<reshape>;

  template <class Self, class Out, class... First> struct Methods {
    /// The elements of input, of any data type, in the same order with another shape; `{}` makes a
    /// scalar of one element. Throws TypeError if a dimension is zero, or the number of elements
    /// differs.
    Out reshape(First... input, Dims newShape, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::reshape>(input..., std::move(newShape),
                                                                   std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
