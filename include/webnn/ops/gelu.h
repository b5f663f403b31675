// gelu: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gelu-method
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1::ops {

struct gelu {
  MLOperand input;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("gelu", operand<&gelu::input>("input", allow(types::floats)),
              result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

inline Result<Shapes> infer(const gelu& op) { return op.input.shape(); }

struct GeluSection {
  using Operators = OpList<gelu>;

  template <class Self, class Out, class... First> struct Methods {
    /// 0.5 * x * (1 + erf(x / sqrt(2))), element by element: the exact form, not the one with tanh.
    /// The result has the shape and data type of input, which is float32, float16 or bfloat16 of
    /// any rank. Throws TypeError if input has another data type.
    Out gelu(First... input, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::gelu>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
