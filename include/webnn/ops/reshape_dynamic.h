// reshapeDynamic: https://github.com/webmachinelearning/webnn/pull/945
#pragma once

#include "webnn/ops/reshape.h"
#include "webnn/shape/values.h"

namespace webnn::inline v0_1::ops {

struct reshapeDynamic {
  MLOperand input;
  MLOperand newShape;
  MLOperatorOptions options{};

  static constexpr auto declaration =
      declare("reshapeDynamic", operand<&reshapeDynamic::input>("input", allow(types::any)),
              operand<&reshapeDynamic::newShape>("newShape", allow(types::sizes, {1, 1})),
              result("output", type_of("input")));
};

inline Result<Shapes> infer(const reshapeDynamic& op) {
  const auto newShape = shape::values(op.newShape, "newShape");
  if (!newShape) return newShape.failure();
  return infer(reshape{op.input, *newShape});
}

struct ReshapeDynamicSection {
  using Operators = OpList<reshapeDynamic>;

  template <class Self, class Out, class... First> struct Methods {
    /// The elements of input, of any data type, in the same order with the shape newShape: integers
    /// of 32 or 64 bits that follow from shapes and constants alone. Throws TypeError, or a run
    /// throws it, if they follow from the values of an input, a dimension is not positive, or the
    /// number of elements differs.
    Out reshapeDynamic(First... input, const MLOperand& newShape, MLOperatorOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::reshapeDynamic>(input..., newShape,
                                                                          std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
