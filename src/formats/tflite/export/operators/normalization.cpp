// Normalizations, composed: TFLite has none of them.
#include <cmath>

#include "src/formats/tflite/export/sliding_window.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

bool zeros(Emitter& e, Value x) {
  if (!e.constant(x)) return false;
  const auto all = e.values(x);
  return std::all_of(all.begin(), all.end(), [](double v) { return v == 0; });
}

/// (x - mean) * scale / sqrt(variance + epsilon) + bias, with mean and variance over axes.
Value normalized(Emitter& e, Value x, const Axes& axes, Value scale, Value bias, double epsilon) {
  const Value mean = e.reduce(MEAN, x, axes, true);
  const Value centered = e.binary(SUB, x, mean);
  const Value variance = e.reduce(MEAN, e.binary(MUL, centered, centered), axes, true);
  Value factor = inverse_root(e, variance, epsilon);
  if (scale) factor = e.binary(MUL, factor, scale);
  const Value y = e.binary(MUL, centered, factor);
  return bias ? e.binary(ADD, y, bias) : y;
}

}  // namespace

Value inverse_root(Emitter& e, Value x, double epsilon) {
  return e.unary(RSQRT, e.binary(ADD, x, epsilon));
}

Values lower(LoweringContext& s, const ops::batchNormalization& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Value x = s(op.input), mean = s(op.mean), variance = s(op.variance);
  const std::uint32_t channels = op.input.shape()[o.axis];
  Dims along(op.input.rank() - o.axis, 1);
  along.front() = channels;
  const auto wide = [&](Value v) { return e.reshape(v, along); };
  const Value scale = s(o.scale), bias = s(o.bias);

  Value factor;
  if (e.constant(variance) && (!scale || e.constant(scale))) {
    std::vector<double> values = e.values(variance);
    for (double& v : values) v = 1 / std::sqrt(v + o.epsilon);
    if (scale)
      for (std::size_t c = 0; c < channels; ++c) values[c] *= e.values(scale)[c];
    factor = e.floats({channels}, {values.begin(), values.end()});
  } else {
    factor = inverse_root(e, variance, o.epsilon);
    if (scale) factor = e.binary(MUL, factor, scale);
  }
  const Value centered = zeros(e, mean) ? x : e.binary(SUB, x, wide(mean));
  const Value y =
      e.binary(MUL, centered, wide(factor), bias ? ActivationFunctionType::NONE : s.activation());
  return bias ? e.binary(ADD, y, wide(bias), s.activation()) : y;
}

Values lower(LoweringContext& s, const ops::instanceNormalization& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const bool nchw = o.layout == MLInputOperandLayout::nchw;
  const std::uint32_t channels = op.input.shape()[nchw ? 1 : 3];
  const auto wide = [&](Value v) { return v && nchw ? e.reshape(v, {channels, 1, 1}) : v; };
  return normalized(e, s(op.input), nchw ? Axes{2, 3} : Axes{1, 2}, wide(s(o.scale)),
                    wide(s(o.bias)), o.epsilon);
}

Values lower(LoweringContext& s, const ops::layerNormalization& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Value x = s(op.input);
  const Dims axes = ops::axes_of(op), shape = op.input.shape();
  if (axes.empty())  // each element is its own mean
    return e.binary(ADD, e.binary(SUB, x, x), o.bias ? s(*o.bias) : e.scalar(e.type(x), 0));
  // Scale and bias have the order of axes: into that of the dimensions.
  Dims order(axes.size());
  for (std::uint32_t i = 0; i < axes.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return axes[a] < axes[b]; });
  Dims wide(shape.size(), 1);
  for (const std::uint32_t axis : axes) wide[axis] = shape[axis];
  const auto placed = [&](Value v) { return v ? e.reshape(e.transpose(v, order), wide) : v; };
  return normalized(e, x, axes, placed(s(o.scale)), placed(s(o.bias)), o.epsilon);
}

}  // namespace webnn::inline v0_1::tflite::exporter
