#include "src/quantization/weights.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

/// Integers of a bias are at most so large that the sum of a product has room beside them.
constexpr double largest_bias = 1 << 30;
/// The scale of weights that are all 0: the bias has it too, times that of the input.
constexpr float scale_of_zeros = 1.f / (1 << 20);

template <class T> Constant packed(const std::vector<std::int32_t>& values) {
  std::vector<T> v(values.begin(), values.end());
  return Constant::copy_of(std::as_bytes(std::span(v)));
}
Constant packed(const std::vector<std::int32_t>& values, MLOperandDataType type) {
  if (type == int8) return packed<std::int8_t>(values);
  if (type == uint8) return packed<std::uint8_t>(values);
  return packed<std::int32_t>(values);
}

/// The integer for a value, by the scale as a float.
std::int32_t rounded(double v, float scale, std::int32_t zero, std::int32_t low,
                     std::int32_t high) {
  const double q = std::nearbyint(v / double{scale}) + zero;
  return static_cast<std::int32_t>(std::clamp(q, double(low), double(high)));
}

/// The scale and the zero point of one channel.
ScaleAndZero weight_scale(const ValueRange& range, const QuantizationOptions& o) {
  ScaleAndZero s{.type = o.weights};
  const double half = o.reduce_range ? 63 : 127, all = o.reduce_range ? 127 : 255;
  double scale =
      o.weights == int8 ? std::max(-range.low, range.high) / half : (range.high - range.low) / all;
  if (static_cast<float>(scale) >= std::numeric_limits<float>::min())
    s.scale = static_cast<float>(scale);
  else s.scale = scale_of_zeros;
  if (o.weights == uint8)
    s.zero = static_cast<std::int32_t>(
        std::clamp(std::nearbyint(-range.low / double{s.scale}), 0.0, all));
  return s;
}

}  // namespace

Constant QuantizedConstant::bytes() const { return packed(values, descriptor.dataType); }
Constant QuantizedConstant::zero_bytes() const { return packed(zeros, descriptor.dataType); }

double decibels(double signal, double noise) {
  if (std::isnan(signal) || std::isnan(noise)) return std::numeric_limits<double>::quiet_NaN();
  if (noise == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

std::optional<std::size_t> channel_axis(const Node& product) {
  if (const auto* conv = product.as<ops::conv2d>()) {
    const auto layout = conv->options.filterLayout;
    const bool last =
        layout == MLConv2dFilterOperandLayout::hwio || layout == MLConv2dFilterOperandLayout::ihwo;
    return last ? 3 : 0;
  }
  if (const auto* conv = product.as<ops::convTranspose2d>()) {
    if (conv->options.groups != 1) return std::nullopt;
    switch (conv->options.filterLayout) {
      case MLConvTranspose2dFilterOperandLayout::iohw: return 1;
      case MLConvTranspose2dFilterOperandLayout::hwoi: return 2;
      default: return 0;
    }
  }
  if (const auto* gemm = product.as<ops::gemm>()) return gemm->options.bTranspose ? 0 : 1;
  if (const auto* matmul = product.as<ops::matmul>()) return matmul->b.rank() - 1;
  return std::nullopt;
}

QuantizedConstant quantized_weights(const Node& product, const QuantizationOptions& options,
                                    const MLOperand& bias, float input) {
  const MLOperand w = product.inputs()[1];
  const FloatElements elements(w);
  const Dims& shape = w.shape();
  const auto axis = options.per_channel ? channel_axis(product) : std::nullopt;
  const std::size_t channels = axis ? shape[*axis] : 1;
  std::size_t step = 1;
  for (std::size_t i = axis ? *axis + 1 : shape.size(); i < shape.size(); ++i) step *= shape[i];
  const auto channel = [&](std::size_t i) { return axis ? i / step % channels : 0; };
  const std::size_t count = element_count(shape);

  std::vector<ValueRange> ranges(channels);
  for (std::size_t i = 0; i < count; ++i) ranges[channel(i)].include({elements[i], elements[i]});
  QuantizedConstant to{.descriptor = {options.weights, shape},
                       .scale_shape = Dims(shape.size(), 1)};
  if (axis) to.scale_shape[*axis] = shape[*axis];
  for (const ValueRange& range : ranges) {
    const ScaleAndZero s = weight_scale(range, options);
    to.scales.push_back(s.scale);
    to.zeros.push_back(s.zero);
  }
  if (bias) {
    const FloatElements b(bias);
    const std::size_t n = element_count(bias.shape());
    for (std::size_t i = 0; i < n; ++i) {
      const double least = std::abs(b[i]) / (double{input} * largest_bias);
      for (std::size_t c = 0; c < channels; ++c) {
        if ((n == channels && c != i) || double{to.scales[c]} >= least) continue;
        to.scales[c] = static_cast<float>(least);
        if (options.weights == uint8)
          to.zeros[c] =
              rounded(-ranges[c].low, to.scales[c], 0, 0, options.reduce_range ? 127 : 255);
      }
    }
  }
  const std::int32_t low = options.weights == uint8 ? 0 : options.reduce_range ? -63 : -127;
  const std::int32_t high = options.reduce_range       ? (options.weights == uint8 ? 127 : 63)
                            : options.weights == uint8 ? 255
                                                       : 127;
  double signal = 0, noise = 0;
  to.values.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t c = channel(i);
    const double v = elements[i];
    to.values[i] = rounded(v, to.scales[c], to.zeros[c], low, high);
    const double e = v - double{to.scales[c]} * (to.values[i] - to.zeros[c]);
    signal += v * v;
    noise += e * e;
  }
  to.snr = decibels(signal, noise);
  return to;
}

std::optional<QuantizedConstant> quantized_bias(const MLOperand& bias, const QuantizedConstant& w,
                                                float input) {
  const std::size_t count = element_count(bias.shape());
  const bool one = w.scales.size() == 1;
  if (!one && count != w.scales.size()) return std::nullopt;
  QuantizedConstant to{.descriptor = {int32, bias.shape()},
                       .scale_shape = one ? Dims(bias.shape().size(), 1) : bias.shape()};
  for (float s : w.scales) to.scales.push_back(s * input);
  for (float s : to.scales)
    if (!(s >= std::numeric_limits<float>::min() && s < HUGE_VALF)) return std::nullopt;
  to.zeros.resize(to.scales.size());
  const FloatElements b(bias);
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(b[i])) return std::nullopt;
    to.values.push_back(rounded(b[i], to.scales[one ? 0 : i], 0, -most, most));
  }
  return to;
}

QuantizedConstant quantized_tensor(const MLOperand& x, const ScaleAndZero& s) {
  const FloatElements elements(x);
  QuantizedConstant to{.descriptor = {s.type, x.shape()},
                       .scale_shape = Dims(x.shape().size(), 1),
                       .scales = {s.scale},
                       .zeros = {s.zero}};
  const std::int32_t low = s.type == int8 ? -128 : 0;
  for (std::size_t i = 0, n = element_count(x.shape()); i < n; ++i)
    to.values.push_back(rounded(elements[i], s.scale, s.zero, low, low + 255));
  return to;
}

}  // namespace webnn::inline v0_1
