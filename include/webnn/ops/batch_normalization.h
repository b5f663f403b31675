// batchNormalization: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-batchnorm
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

struct MLBatchNormalizationOptions {
  std::optional<MLOperand> scale{};  ///< [channels]; 1 when absent
  std::optional<MLOperand> bias{};   ///< [channels]; 0 when absent
  std::uint32_t axis = 1;            ///< the dimension of the channels
  double epsilon = 1e-5;             ///< converted to the data type of input
  std::string label{};               ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct batchNormalization {
  MLOperand input;
  MLOperand mean;
  MLOperand variance;
  MLBatchNormalizationOptions options{};

  static constexpr auto declaration =
      declare("batchNormalization",
              operand<&batchNormalization::input>("input", allow(types::floats, {.min = 1})),
              operand<&batchNormalization::mean>("mean", type_of("input", {1, 1})),
              operand<&batchNormalization::variance>("variance", type_of("input", {1, 1})),
              operand<&MLBatchNormalizationOptions::scale>("scale", type_of("input", {1, 1})),
              operand<&MLBatchNormalizationOptions::bias>("bias", type_of("input", {1, 1})),
              attribute<&MLBatchNormalizationOptions::axis>("axis"),
              attribute<&MLBatchNormalizationOptions::epsilon>("epsilon"),
              result("output", same_as("input")));
};

inline Result<Shapes> infer(const batchNormalization& op) {
  if (op.options.epsilon < 0) return detail::fail("epsilon ({}) is negative", op.options.epsilon);
  const auto& [scale, bias, axis, epsilon, label] = op.options;
  if (auto bad = shape::check_axis(axis, op.input)) return *bad;
  const Sizes channels{op.input.shape()[axis]};
  if (auto bad = shape::check_shape("mean", op.mean, channels)) return *bad;
  if (auto bad = shape::check_shape("variance", op.variance, channels)) return *bad;
  if (auto bad = shape::check_shape("scale", scale, channels)) return *bad;
  if (auto bad = shape::check_shape("bias", bias, channels)) return *bad;
  return op.input.shape();
}

struct BatchNormalizationSection {
  using Operators = OpList<batchNormalization>;

  template <class Self, class Out, class... First> struct Methods {
    /// scale * (x - mean) / sqrt(variance + epsilon) + bias, with one mean, variance, scale and
    /// bias for each channel. input has at least one dimension and is float32, float16 or bfloat16,
    /// as are the others. Throws TypeError if the axis is not below the rank, the shape of mean,
    /// variance, scale or bias is not [channels], or epsilon is negative or not finite.
    Out batchNormalization(First... input, const MLOperand& mean, const MLOperand& variance,
                           MLBatchNormalizationOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::batchNormalization>(
          input..., mean, variance, std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
