// tanh: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-tanh-method
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1::ops {

struct tanh {
  MLOperand input;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("tanh", operand<&tanh::input>("input", allow(types::floats)),
              result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

inline Result<Shapes> infer(const tanh& op) { return op.input.shape(); }

struct TanhSection {
  using Operators = OpList<tanh>;

  template <class Self, class Out, class... First> struct Methods {
    /// The hyperbolic tangent, element by element; 1 or -1 where x is large. The result has the
    /// shape and data type of input, which is float32, float16 or bfloat16 of any rank. Throws
    /// TypeError if input has another data type.
    Out tanh(First... input, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::tanh>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
