// swish, also called SiLU: x * sigmoid(x).
#pragma once

#include "src/graph/fused/declare.h"

namespace webnn::inline v0_1::fused {

struct SwishOptions {
  bool sigmoidFirst = false;  ///< how it is written: sigmoid(x) * x, whose NaN may be another
  std::string label{};
};

struct swish {
  MLOperand input;
  SwishOptions options{};

  static constexpr auto declaration =
      ops::declare("swish", ops::operand<&swish::input>("input", ops::allow(types::floats)),
                   ops::attribute<&SwishOptions::sigmoidFirst>("sigmoidFirst"),
                   ops::result("output", ops::same_as("input")));
  static constexpr ops::Traits traits{.element_wise = true, .activation = true};
};

Result<ops::Shapes> infer(const swish& op);
MLOperand compose(const swish& op, Composer& to);

}  // namespace webnn::inline v0_1::fused
