// relu: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-relu-method
// The text leaves NaN open: it remains.
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1::ops {

struct relu {
  MLOperand input;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("relu", operand<&relu::input>("input", allow(types::signed_numbers)),
              result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

inline Result<Shapes> infer(const relu& op) { return op.input.shape(); }

struct ReluSection {
  using Operators = OpList<relu>;

  template <class Self, class Out, class... First> struct Methods {
    /// max(0, x), element by element. The result has the shape and data type of input: float32,
    /// float16, bfloat16, int8, int32 or int64, of any rank. Throws TypeError if input has another
    /// data type.
    Out relu(First... input, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::relu>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
