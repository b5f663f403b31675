// softmax: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softmax-method
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1::ops {

struct softmax {
  MLOperand input;
  std::uint32_t axis = 0;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("softmax", operand<&softmax::input>("input", allow(types::floats, {.min = 1})),
              attribute<&softmax::axis>("axis"), result("output", same_as("input")));
};

inline Result<Shapes> infer(const softmax& op) {
  if (auto bad = shape::check_axis(op.axis, op.input)) return *bad;
  return op.input.shape();
}

struct SoftmaxSection {
  using Operators = OpList<softmax>;

  template <class Self, class Out, class... First> struct Methods {
    /// exp(x - max) / sum of exp(x - max), along axis. The result has the shape and data type of
    /// input, float32, float16 or bfloat16, with at least one dimension. Throws TypeError if the
    /// axis is not below the rank.
    Out softmax(First... input, std::uint32_t axis, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::softmax>(input..., axis,
                                                                   std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
