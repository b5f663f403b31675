// hardSigmoid: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-hard-sigmoid
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1 {

struct MLHardSigmoidOptions {
  double alpha = 0.2;   ///< converted to the data type of input
  double beta = 0.5;    ///< converted as alpha is
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct hardSigmoid {
  MLOperand input;
  MLHardSigmoidOptions options{};

  static constexpr auto declaration =
      declare("hardSigmoid", operand<&hardSigmoid::input>("input", allow(types::floats)),
              attribute<&MLHardSigmoidOptions::alpha>("alpha"),
              attribute<&MLHardSigmoidOptions::beta>("beta"), result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

inline Result<Shapes> infer(const hardSigmoid& op) { return op.input.shape(); }

struct HardSigmoidSection {
  using Operators = OpList<hardSigmoid>;

  template <class Self, class Out, class... First> struct Methods {
    /// max(0, min(alpha * x + beta, 1)), element by element; alpha and beta may be negative. The
    /// result has the shape and data type of input, which is float32, float16 or bfloat16 of any
    /// rank. Throws TypeError if input has another data type, or alpha or beta is not finite.
    Out hardSigmoid(First... input, MLHardSigmoidOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::hardSigmoid>(input...,
                                                                       std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
