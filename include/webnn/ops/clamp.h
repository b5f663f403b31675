// clamp: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-clamp
// The text leaves bounds and elements that are NaN open: the bounds are rejected, the elements
// remain NaN.
#pragma once

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1 {

struct MLClampOptions {
  std::optional<MLNumber>
      minValue{};  ///< converted to the data type of input; no bound when absent
  std::optional<MLNumber> maxValue{};  ///< converted as minValue is; no bound when absent
  std::string label{};                 ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct clamp {
  MLOperand input;
  MLClampOptions options{};

  static constexpr auto declaration =
      declare("clamp", operand<&clamp::input>("input", allow(types::any)),
              attribute<&MLClampOptions::minValue>("minValue"),
              attribute<&MLClampOptions::maxValue>("maxValue"), result("output", same_as("input")));
  static constexpr Traits traits{.element_wise = true, .activation = true};
};

// differs from spec: an absent bound does not bind (the text swaps the two defaults).
inline Result<Shapes> infer(const clamp& op) {
  for (const auto& [name, bound] :
       {std::pair("minValue", &op.options.minValue), std::pair("maxValue", &op.options.maxValue)})
    if (*bound && (*bound)->as_double() != (*bound)->as_double())
      return detail::fail("{} is NaN", name);
  if (op.options.minValue && op.options.maxValue) {
    const auto type = op.input.dataType();
    const MLNumber low = op.options.minValue->to(type), high = op.options.maxValue->to(type);
    if (low > high)
      return detail::fail("minValue ({}) is greater than maxValue ({}) as {}", low, high, type);
  }
  return op.input.shape();
}

struct ClampSection {
  using Operators = OpList<clamp>;

  template <class Self, class Out, class... First> struct Methods {
    /// min(max(x, minValue), maxValue), element by element. The result has the shape and data type
    /// of input, which may be any. Throws TypeError if minValue or maxValue is NaN, or if minValue
    /// is greater than maxValue, both as that type.
    Out clamp(First... input, MLClampOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::clamp>(input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
