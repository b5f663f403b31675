// softplus: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softplus-method
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1::ops {

struct softplus {
  MLOperand input;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("softplus", operand<&softplus::input>("input", allow(types::floats)),
              result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

inline Result<Shapes> infer(const softplus& op) { return op.input.shape(); }

struct SoftplusSection {
  using Operators = OpList<softplus>;

  template <class Self, class Out, class... First> struct Methods {
    /// ln(1 + exp(x)), element by element, as max(x, 0) + log1p(exp(-abs(x))): no x overflows. The
    /// result has the shape and data type of input, which is float32, float16 or bfloat16 of any
    /// rank. Throws TypeError if input has another data type.
    Out softplus(First... input, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::softplus>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
