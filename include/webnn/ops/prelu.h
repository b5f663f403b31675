// prelu: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-prelu
#pragma once

#include "webnn/shape/broadcast.h"

namespace webnn::inline v0_1::ops {

struct prelu {
  MLOperand input;
  MLOperand slope;
  MLOperatorOptions options{};

  static constexpr auto declaration = declare(
      "prelu", operand<&prelu::input>("input", allow(types::signed_numbers)),
      operand<&prelu::slope>("slope", type_of("input")), result("output", type_of("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

inline Result<Shapes> infer(const prelu& op) {
  const Dims &input = op.input.shape(), &slope = op.slope.shape();
  if (auto out = shape::broadcast(shape::sizes(slope), shape::sizes(input))) return *out;
  return detail::fail("the shapes of input ({}) and slope ({}) do not broadcast", input, slope);
}

struct PreluSection {
  using Operators = OpList<prelu>;

  template <class Self, class Out, class... First> struct Methods {
    /// max(0, x) + slope * min(0, x), element by element. input and slope have one data type, a
    /// float or a signed integer, and broadcast with each other: the result may be larger than
    /// input. Throws TypeError if the data types differ, or the shapes do not broadcast.
    Out prelu(First... input, const MLOperand& slope, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::prelu>(input..., slope,
                                                                 std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
