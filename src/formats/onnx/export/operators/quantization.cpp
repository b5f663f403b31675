// dequantizeLinear and quantizeLinear. WebNN's scale has the rank of the input and divides its
// dimensions; ONNX has one scale, one for each index of an axis, or one for each block of an axis.
#include <algorithm>
#include <limits>

#include "src/formats/onnx/export/lower.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

/// How ONNX says which scale an element has.
struct Blocks {
  Dims shape{};    // scale and zero point as WebNN would have them
  Dims written{};  // ... as ONNX has them
  std::int64_t axis = 0, size = 0;
  bool has_axis = false;
};

/// `from` is the shape of the scale. Where more than one dimension is divided into blocks, all but
/// the last one get a scale for each index.
Blocks blocks_of(const Dims& from, const Dims& x) {
  Blocks b{.shape = from};
  Dims whole, divided;  // dimensions with a scale for each index; with blocks
  for (std::uint32_t d = 0; d < x.size(); ++d) {
    if (from[d] == x[d]) {
      if (x[d] > 1) whole.push_back(d);
    } else if (from[d] > 1) {
      divided.push_back(d);
    }
  }
  if (whole.empty() && divided.empty()) return b;
  b.has_axis = true;
  if (divided.empty() && whole.size() == 1) {
    b.axis = whole[0];
    b.written = {x[whole[0]]};
    return b;
  }
  // One dimension may have blocks: one that is divided, else one with a single scale.
  std::uint32_t axis = divided.empty() ? whole.back() : divided.back();
  for (std::uint32_t d = 0; divided.empty() && d < x.size(); ++d)
    if (from[d] != x[d]) axis = d;
  for (std::uint32_t d = 0; d < x.size(); ++d)
    if (d != axis) b.shape[d] = x[d];
  b.axis = axis;
  b.size = x[axis] / b.shape[axis];
  b.written = b.shape;
  return b;
}

/// Each element of a block repeated, so that the result broadcasts to that shape.
Value repeated(Emitter& e, Value v, const Dims& to) {
  const Dims from = e.shape(v);
  for (std::uint32_t d = 0; d < to.size(); ++d) {
    Dims places;
    for (std::uint32_t i = 0; i < to[d]; ++i) places.push_back(i / (to[d] / from[d]));
    if (from[d] != to[d] && from[d] > 1) v = e.taken(v, places, d);
  }
  return v;
}
Value spread(Emitter& e, Value v, const Dims& to) { return e.expand(repeated(e, v, to), to); }

bool is_zero(Emitter& e, Value x) {
  const Constant* bytes = e.constant_of(x);
  return bytes && std::all_of(bytes->bytes().begin(), bytes->bytes().end(),
                              [](std::byte b) { return b == std::byte{0}; });
}

/// What spread() makes of a constant of 4 bits, of which two share a byte.
Value spread_nibbles(Emitter& e, Value v, const Dims& to) {
  const Dims from = e.shape(v);
  const auto bytes = e.constant_of(v)->bytes();
  std::vector<std::byte> all(byte_length({e.type(v), to}));
  const std::uint64_t count = element_count(to);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t place = 0, rest = i, stride = 1;
    for (std::size_t d = to.size(); d-- > 0; rest /= to[d], stride *= from[d])
      place += rest % to[d] / (to[d] / from[d]) * stride;
    const std::byte nibble = bytes[place / 2] >> (place % 2 * 4) & std::byte{15};
    all[i / 2] |= nibble << (i % 2 * 4);
  }
  return e.constant(e.type(v), to, Constant::copy_of(all));
}

/// Scale and zero point for ONNX. A zero point of zeros of int32, which ONNX does not have there,
/// is left out.
std::vector<Value> parameters(LoweringContext& s, const Blocks& b, const MLOperand& scale,
                              const MLOperand& zero) {
  Emitter& e = s.e();
  std::vector<Value> all{e.reshape(spread(e, s(scale), b.shape), b.written)};
  const Value z = s(zero);
  if (is_zero(e, z) && zero.dataType() == int32) return all;
  if (zero.dataType() == float8e4m3) {
    all.push_back(e.filled(float8e4m3, b.written, 0));
    return all;
  }
  if (bits_of(zero.dataType()) >= 8) all.push_back(e.reshape(spread(e, z, b.shape), b.written));
  else if (e.constant_of(z)) all.push_back(e.reshape(spread_nibbles(e, z, b.shape), b.written));
  else if (e.shape(z) == b.written) all.push_back(z);
  else
    s.refuse(fail("a zero point of {} that is not constant has shape {}, not {}", zero.dataType(),
                  e.shape(z), b.written));
  return all;
}
Attributes attributes_of(const Blocks& b) {
  Attributes a;
  if (b.has_axis) a.push_back({"axis", b.axis});
  if (b.size) a.push_back({"block_size", b.size});
  return a;
}

/// Whether ONNX's operator has that zero point: for float8e4m3 it is 0.
bool has_zero_point(LoweringContext& s, const MLOperand& zero) {
  return zero.dataType() != float8e4m3 || is_zero(s.e(), s(zero));
}

/// The difference of 32-bit integers is exact in 64 bits.
Value written_out(LoweringContext& s, const ops::dequantizeLinear& op) {
  Emitter& e = s.e();
  if (op.input.dataType() == float8e4m3) {
    const Value zero = e.cast(repeated(e, s(op.zeroPoint), s.shape()), float32);
    const Value scale = e.cast(repeated(e, s(op.scale), s.shape()), float32);
    const Value difference = e.binary("Sub", e.cast(s(op.input), float32), zero);
    return e.cast(e.binary("Mul", difference, scale), s.type());
  }
  const Value zero = e.cast(repeated(e, s(op.zeroPoint), s.shape()), int64);
  const Value difference = e.binary("Sub", e.cast(s(op.input), int64), zero);
  const Value scale = e.cast(repeated(e, s(op.scale), s.shape()), float32);
  return e.cast(e.binary("Mul", e.cast(difference, float32), scale), s.type());
}
/// To 32-bit integers: what is beyond 2^34 remains beyond them with any zero point.
Value written_out(LoweringContext& s, const ops::quantizeLinear& op) {
  constexpr double beyond = 17179869184;
  Emitter& e = s.e();
  const Value scale = e.cast(repeated(e, s(op.scale), s.shape()), float32);
  if (s.type() == float8e4m3) {
    const Value zero = e.cast(repeated(e, s(op.zeroPoint), s.shape()), float32);
    const Value quotient = e.binary("Div", e.cast(s(op.input), float32), scale);
    return e.cast(e.binary("Add", quotient, zero), float8e4m3);
  }
  const Value ratio = e.like("Round", {e.binary("Div", e.cast(s(op.input), float32), scale)});
  const Value within =
      e.like("Clip", {ratio, e.scalar(float32, -beyond), e.scalar(float32, beyond)});
  const Value zero = e.cast(repeated(e, s(op.zeroPoint), s.shape()), int64);
  const Value sum = e.binary("Add", e.cast(within, int64), zero);
  const bool is_signed = s.type() == int32;
  const std::int64_t low = is_signed ? std::numeric_limits<std::int32_t>::min() : 0;
  const std::int64_t high = is_signed ? std::numeric_limits<std::int32_t>::max()
                                      : std::numeric_limits<std::uint32_t>::max();
  return e.cast(e.like("Clip", {sum, e.int64_scalar(low), e.int64_scalar(high)}), s.type());
}

}  // namespace

Values lower(LoweringContext& s, const ops::dequantizeLinear& op) {
  Emitter& e = s.e();
  const MLOperandDataType type = op.input.dataType();
  const Value x = s(op.input), zero = s(op.zeroPoint);
  if (type == uint32 || (type == int32 && !is_zero(e, zero)) || !has_zero_point(s, op.zeroPoint))
    return written_out(s, op);
  const Blocks b = blocks_of(op.scale.shape(), op.input.shape());
  std::vector<Value> inputs = parameters(s, b, op.scale, op.zeroPoint);
  inputs.insert(inputs.begin(), x);
  return e.node("DequantizeLinear", std::move(inputs), s.type(), s.shape(), attributes_of(b));
}

Values lower(LoweringContext& s, const ops::quantizeLinear& op) {
  Emitter& e = s.e();
  if (s.type() == int32 || s.type() == uint32 || !has_zero_point(s, op.zeroPoint))
    return written_out(s, op);
  const Blocks b = blocks_of(op.scale.shape(), op.input.shape());
  std::vector<Value> inputs = parameters(s, b, op.scale, op.zeroPoint);
  inputs.insert(inputs.begin(), s(op.input));
  return e.node("QuantizeLinear", std::move(inputs), s.type(), s.shape(), attributes_of(b));
}

}  // namespace webnn::inline v0_1::onnx::exporter
