// expandDynamic: https://github.com/webmachinelearning/webnn/pull/945
#pragma once

#include "webnn/ops/expand.h"
#include "webnn/shape/values.h"

namespace webnn::inline v0_1::ops {

struct expandDynamic {
  MLOperand input;
  MLOperand newShape;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("expandDynamic", operand<&expandDynamic::input>("input", allow(types::any)),
              operand<&expandDynamic::newShape>("newShape", allow(types::sizes, {1, 1})),
              result("output", type_of("input")));
};

inline Result<Shapes> infer(const expandDynamic& op) {
  const auto newShape = shape::values(op.newShape, "newShape");
  if (!newShape) return newShape.failure();
  return infer(expand{op.input, *newShape});
}

struct ExpandDynamicSection {
  using Operators = OpList<expandDynamic>;

  template <class Self, class Out, class... First> struct Methods {
    /// Repeats input, of any data type, along its dimensions of size 1, and along new ones in
    /// front, to the shape newShape: integers of 32 or 64 bits that follow from shapes and
    /// constants alone. Throws TypeError, or a run throws it, if they follow from the values of an
    /// input, or the shape of input does not broadcast to newShape.
    Out expandDynamic(First... input, const MLOperand& newShape, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::expandDynamic>(input..., newShape,
                                                                         std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
