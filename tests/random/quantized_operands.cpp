#include "tests/random/quantized_operands.h"

#include <cmath>

namespace webnn::inline v0_1::test {
namespace {

constexpr DataTypes small_integers{int8, uint8, int4, uint4};

/// The form of scale and zero point: one for all, by one dimension, or by blocks.
Dims parameter_shape(Generator& g, const Dims& shape) {
  Dims out(shape.size(), 1);
  if (shape.empty() || g.chance(0.45)) return out;
  const std::uint32_t axis = g.between(0, static_cast<std::uint32_t>(shape.size()) - 1);
  out[axis] = shape[axis];
  if (g.chance(0.6)) return out;
  for (std::size_t d = 0; d < shape.size(); ++d)  // blocks
    for (std::uint32_t part : {2u, 3u, 4u, 5u})
      if (shape[d] % part == 0 && g.chance(0.3)) out[d] = shape[d] / part;
  return out;
}

double power_of_two(Generator& g, int low, int high) {
  return std::ldexp(1.0,
                    static_cast<int>(g.between(0, static_cast<std::uint32_t>(high - low))) + low);
}
Interval zero_points(Generator& g, MLOperandDataType type) {
  if (type == float8e4m3 && g.chance(0.8)) return {0, 0};
  if (!small_integers.contains(type)) return {type == uint32 ? 0. : -3., 5};
  const double low = lowest_of(type), high = highest_of(type);
  if (g.chance(0.25)) return {low, low};
  if (g.chance(0.25)) return {high, high};
  if (g.chance(0.3) && low < 0) return {0, 0};
  return {low, high};
}

}  // namespace

Interval scales(Generator& g) {
  const double s = power_of_two(g, -5, 0);
  return g.chance(0.3) ? Interval{s, s} : Interval{s, 1.9 * s};
}

Parameters parameters(Generator& g, MLOperandDataType type, MLOperandDataType floats,
                      const Dims& shape) {
  const Tensor scale = g.tensor(floats, shape, scales(g));
  const Tensor zero = g.tensor(type, shape, zero_points(g, type));
  const auto operand = [&](const Tensor& t) { return g.chance(0.9) ? g.constant(t) : g.input(t); };
  return {operand(scale), operand(zero)};
}

MLOperand integers(Generator& g, MLOperandDataType type, const Dims& shape, bool constant) {
  Interval values{-100, 100};
  if (small_integers.contains(type)) values = {lowest_of(type), highest_of(type)};
  const Tensor t = g.tensor(type, shape, values);
  return constant ? g.constant(t) : g.input(t);
}

MLOperand dequantized(Generator& g, const MLOperand& x, const Parameters& p) {
  return g.append(ops::dequantizeLinear{x, p.scale, p.zero}, 6);
}
MLOperand dequantized(Generator& g, const MLOperand& x, bool per_tensor) {
  const Dims shape = per_tensor ? Dims(x.rank(), 1) : parameter_shape(g, x.shape());
  const auto floats = g.chance(0.85) ? float32 : g.one_of({float16, bfloat16});
  return dequantized(g, x, parameters(g, x.dataType(), floats, shape));
}
MLOperand quantized(Generator& g, const MLOperand& x, MLOperandDataType type, bool per_tensor) {
  const Dims shape = per_tensor ? Dims(x.rank(), 1) : parameter_shape(g, x.shape());
  Parameters p = parameters(g, type, x.dataType(), shape);
  // Most results are within the integers.
  const int bits = g.magnitude(x) - (small_integers.contains(type) ? bits_of(type) - 2 : 8);
  if (bits > 0 && g.chance(0.7))
    p.scale =
        g.constant(g.tensor(x.dataType(), shape, {std::ldexp(0.6, bits), std::ldexp(1.0, bits)}));
  return g.append(ops::quantizeLinear{x, p.scale, p.zero}, 7);
}

MLOperandDataType small_type(Generator& g) {
  return g.chance(0.2) ? g.one_of({int4, uint4}) : g.one_of({int8, uint8});
}

MLOperand quantized_operand(Generator& g, ops::Ranks ranks) {
  const DataTypes bytes{int8, uint8};
  if (g.chance(0.85))
    for (int tries = 0; tries < 3; ++tries) {
      const MLOperand x = g.any(bytes, ranks);
      if (element_count(x.shape()) > 2) return x;
    }
  return integers(g, small_type(g), g.shape(ranks), false);
}

MLOperand weights(Generator& g, const Dims& shape, std::uint32_t axis) {
  const MLOperandDataType type = g.chance(0.7) ? int8 : g.chance(0.25) ? float8e4m3 : small_type(g);
  Dims each(shape.size(), 1);
  if (g.chance(0.5)) each[axis] = shape[axis];
  else if (g.chance(0.1)) each = parameter_shape(g, shape);
  Parameters p = parameters(g, type, float32, each);
  if (type == int8 && g.chance(0.7)) p.zero = g.constant(filled(type, each, 0));
  return dequantized(g, integers(g, type, shape, true), p);
}

}  // namespace webnn::inline v0_1::test
