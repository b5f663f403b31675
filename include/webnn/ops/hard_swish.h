// hardSwish: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-hard-swish
// The formula is taken literally: minus infinity gives NaN.
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1::ops {

struct hardSwish {
  MLOperand input;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("hardSwish", operand<&hardSwish::input>("input", allow(types::floats)),
              result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

inline Result<Shapes> infer(const hardSwish& op) { return op.input.shape(); }

struct HardSwishSection {
  using Operators = OpList<hardSwish>;

  template <class Self, class Out, class... First> struct Methods {
    /// x * max(0, min(6, x + 3)) / 6, element by element. The result has the shape and data type of
    /// input, which is float32, float16 or bfloat16 of any rank. Throws TypeError if input has
    /// another data type.
    Out hardSwish(First... input, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::hardSwish>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
