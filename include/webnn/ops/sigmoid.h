// sigmoid: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-sigmoid-method
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1::ops {

struct sigmoid {
  MLOperand input;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("sigmoid", operand<&sigmoid::input>("input", allow(types::floats)),
              result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

inline Result<Shapes> infer(const sigmoid& op) { return op.input.shape(); }

struct SigmoidSection {
  using Operators = OpList<sigmoid>;

  template <class Self, class Out, class... First> struct Methods {
    /// 1 / (1 + exp(-x)), element by element; no x overflows. The result has the shape and data
    /// type of input, which is float32, float16 or bfloat16 of any rank. Throws TypeError if input
    /// has another data type.
    Out sigmoid(First... input, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::sigmoid>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
