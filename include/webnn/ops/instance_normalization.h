// instanceNormalization: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-instancenorm
#pragma once

#include "webnn/shape/window.h"

namespace webnn::inline v0_1 {

struct MLInstanceNormalizationOptions {
  std::optional<MLOperand> scale{};  ///< [channels]; 1 when absent
  std::optional<MLOperand> bias{};   ///< [channels]; 0 when absent
  double epsilon = 1e-5;             ///< converted to the data type of input
  MLInputOperandLayout layout = MLInputOperandLayout::nchw;  ///< that of input and result
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct instanceNormalization {
  MLOperand input;
  MLInstanceNormalizationOptions options{};

  static constexpr auto declaration =
      declare("instanceNormalization",
              operand<&instanceNormalization::input>("input", allow(types::floats, {4, 4})),
              operand<&MLInstanceNormalizationOptions::scale>("scale", type_of("input", {1, 1})),
              operand<&MLInstanceNormalizationOptions::bias>("bias", type_of("input", {1, 1})),
              attribute<&MLInstanceNormalizationOptions::epsilon>("epsilon"),
              attribute<&MLInstanceNormalizationOptions::layout>("layout"),
              result("output", same_as("input")));
};

inline Result<Shapes> infer(const instanceNormalization& op) {
  if (op.options.epsilon < 0) return detail::fail("epsilon ({}) is negative", op.options.epsilon);
  const Sizes channels{shape::image(op.input.shape(), op.options.layout).channels};
  if (auto bad = shape::check_shape("scale", op.options.scale, channels)) return *bad;
  if (auto bad = shape::check_shape("bias", op.options.bias, channels)) return *bad;
  return op.input.shape();
}

struct InstanceNormalizationSection {
  using Operators = OpList<instanceNormalization>;

  template <class Self, class Out, class... First> struct Methods {
    /// scale * (x - mean) / sqrt(variance + epsilon) + bias, where mean and (population) variance
    /// are those of each channel of each image. input has rank 4, in `layout`, and is float32,
    /// float16 or bfloat16, as are scale and bias. Throws TypeError if input has another rank or
    /// data type, scale or bias does not have the length of the channels, or epsilon is negative or
    /// not finite.
    Out instanceNormalization(First... input, MLInstanceNormalizationOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::instanceNormalization>(
          input..., std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
