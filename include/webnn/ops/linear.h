// linear: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-linear
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1 {

struct MLLinearOptions {
  double alpha = 1;     ///< converted to the data type of input
  double beta = 0;      ///< converted as alpha is
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct linear {
  MLOperand input;
  MLLinearOptions options{};

  static constexpr auto declaration =
      declare("linear", operand<&linear::input>("input", allow(types::floats)),
              attribute<&MLLinearOptions::alpha>("alpha"),
              attribute<&MLLinearOptions::beta>("beta"), result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

inline Result<Shapes> infer(const linear& op) { return op.input.shape(); }

struct LinearSection {
  using Operators = OpList<linear>;

  template <class Self, class Out, class... First> struct Methods {
    /// alpha * x + beta, element by element. The result has the shape and data type of input, which
    /// is float32, float16 or bfloat16 of any rank. Throws TypeError if input has another data
    /// type, or alpha or beta is not finite.
    Out linear(First... input, MLLinearOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::linear>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
