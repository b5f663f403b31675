// where: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-where
#pragma once

#include "webnn/shape/broadcast.h"

namespace webnn::inline v0_1::ops {

struct where {
  MLOperand condition;
  MLOperand trueValue;
  MLOperand falseValue;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("where", operand<&where::condition>("condition", allow(types::bytes)),
              operand<&where::trueValue>("trueValue", allow(types::any)),
              operand<&where::falseValue>("falseValue", type_of("trueValue")),
              result("output", type_of("trueValue")));
  static constexpr Traits traits{.element_wise = true, .moves = true};
};

inline Result<Shapes> infer(const where& op) {
  using shape::sizes;
  const Dims &condition = op.condition.shape(), &t = op.trueValue.shape(),
             &f = op.falseValue.shape();
  const auto values = shape::broadcast(sizes(t), sizes(f));
  if (!values)
    return detail::fail("the shapes of trueValue ({}) and falseValue ({}) do not broadcast", t, f);
  const auto out = shape::broadcast(sizes(condition), *values);
  if (!out)
    return detail::fail(
        "the shape ({}) of condition does not broadcast with that of the values ({})", condition,
        *values);
  return *out;
}

struct WhereSection {
  using Operators = OpList<where>;

  template <class Self, class Out, class... First> struct Methods {
    /// trueValue where condition is not 0, else falseValue. condition is uint8, the values have one
    /// data type, which may be any; all three broadcast with each other. Throws TypeError if the
    /// data types are different ones, or the shapes do not broadcast.
    Out where(First... condition, const MLOperand& trueValue, const MLOperand& falseValue,
              MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::where>(condition..., trueValue,
                                                                 falseValue, std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
