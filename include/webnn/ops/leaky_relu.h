// leakyRelu: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-leakyrelu
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1 {

struct MLLeakyReluOptions {
  double alpha = 0.01;  ///< converted to the data type of input
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct leakyRelu {
  MLOperand input;
  MLLeakyReluOptions options{};

  static constexpr auto declaration =
      declare("leakyRelu", operand<&leakyRelu::input>("input", allow(types::floats)),
              attribute<&MLLeakyReluOptions::alpha>("alpha"), result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

inline Result<Shapes> infer(const leakyRelu& op) { return op.input.shape(); }

struct LeakyReluSection {
  using Operators = OpList<leakyRelu>;

  template <class Self, class Out, class... First> struct Methods {
    /// max(0, x) + alpha * min(0, x), element by element; alpha may be negative. The result has the
    /// shape and data type of input, which is float32, float16 or bfloat16 of any rank. Throws
    /// TypeError if input has another data type, or alpha is not finite.
    Out leakyRelu(First... input, MLLeakyReluOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::leakyRelu>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
