// swish, also called SiLU: x * sigmoid(x).
#pragma once

#include "src/graph/fused/declare.h"

namespace webnn::inline v0_1::fused {

struct swish {
  MLOperand input;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      ops::declare("swish", ops::operand<&swish::input>("input", ops::allow(types::floats)),
                   ops::result("output", ops::same_as("input")));
  static constexpr ops::Traits traits{.element_wise = true, .activation = true};
};

Result<ops::Shapes> infer(const swish& op);
MLOperand compose(const swish& op, Composer& to);

}  // namespace webnn::inline v0_1::fused
