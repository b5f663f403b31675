// elu: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-elu
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1 {

struct MLEluOptions {
  double alpha = 1;     ///< converted to the data type of input
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct elu {
  MLOperand input;
  MLEluOptions options{};

  static constexpr auto declaration =
      declare("elu", operand<&elu::input>("input", allow(types::floats)),
              attribute<&MLEluOptions::alpha>("alpha"), result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

inline Result<Shapes> infer(const elu& op) { return op.input.shape(); }

struct EluSection {
  using Operators = OpList<elu>;

  template <class Self, class Out, class... First> struct Methods {
    /// max(0, x) + alpha * (exp(min(0, x)) - 1), element by element; alpha may be negative. The
    /// result has the shape and data type of input, which is float32, float16 or bfloat16 of any
    /// rank. Throws TypeError if input has another data type, or alpha is not finite.
    Out elu(First... input, MLEluOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::elu>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
