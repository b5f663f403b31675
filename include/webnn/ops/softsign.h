// softsign: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-softsign-method
// The formula is taken literally: plus and minus infinity give NaN.
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1::ops {

struct softsign {
  MLOperand input;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("softsign", operand<&softsign::input>("input", allow(types::floats)),
              result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

inline Result<Shapes> infer(const softsign& op) { return op.input.shape(); }

struct SoftsignSection {
  using Operators = OpList<softsign>;

  template <class Self, class Out, class... First> struct Methods {
    /// x / (1 + abs(x)), element by element. The result has the shape and data type of input, which
    /// is float32, float16 or bfloat16 of any rank. Throws TypeError if input has another data
    /// type.
    Out softsign(First... input, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::softsign>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
