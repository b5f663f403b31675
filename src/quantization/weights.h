// Constants in integers.
#pragma once

#include <optional>
#include <vector>

#include "src/quantization/range.h"
#include "src/quantization/selection.h"

namespace webnn::inline v0_1 {

struct QuantizedConstant {
  MLOperandDescriptor descriptor{};
  std::vector<std::int32_t> values{};
  Dims scale_shape{};  ///< of the rank of the constant
  std::vector<float> scales{};
  std::vector<std::int32_t> zeros{};  ///< as many as scales
  double snr = 0;

  Constant bytes() const;
  Constant zero_bytes() const;
};

/// The index of the output channels among the dimensions of the weights of a product; nothing where
/// they have none for themselves.
std::optional<std::size_t> channel_axis(const Node& product);

/// Weights of a product, in the types of the options. `bias`, where there is one, is added to
/// products with a tensor of the scale `input`: the scales are as large as its integers need.
QuantizedConstant quantized_weights(const Node& product, const QuantizationOptions& options,
                                    const MLOperand& bias, float input);
/// A bias in int32, whose scales are those of the weights times that of the input; nothing where
/// it has one element for columns with scales of their own.
std::optional<QuantizedConstant> quantized_bias(const MLOperand& bias, const QuantizedConstant& w,
                                                float input);
/// A constant with one scale.
QuantizedConstant quantized_tensor(const MLOperand& x, const ScaleAndZero& s);

/// 10 log10(signal / noise).
double decibels(double signal, double noise);

}  // namespace webnn::inline v0_1
