// Quantized tensors and operators on them, as dequantizeLinear, the operator, quantizeLinear, of
// which backends make integer kernels.
#include "src/formats/onnx/import/convolve.h"
#include "src/formats/onnx/import/quantize.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// The type of the zero point, or what the attribute output_dtype says. The type of WebNN that
/// holds one which it does not have, which is in `narrow` then.
MLOperandDataType quantized_type(Call& c, ElementType& narrow) {
  const ElementType given = c.element_type("output_dtype", ElementType::UNDEFINED);
  narrow = c.has(2) ? c.in(2).narrow : is_narrow(given) ? given : ElementType::UNDEFINED;
  if (c.has(2)) return c.x(2).dataType();
  if (is_narrow(given)) return *wider_type_of(given);
  return given == ElementType::UNDEFINED ? uint8 : c.data_type(given);
}

/// Saturates at the bounds of 16 or 2 bits, which the wider type does not have.
void put_narrow(Call& c, const MLOperand& y, ElementType narrow) {
  const int count = is_16_bits(narrow) ? 65536 : 4;
  const bool has_sign = narrow == ElementType::INT16 || narrow == ElementType::INT2;
  const int low = has_sign ? -count / 2 : 0;
  c.set(0, {.x = c.b.clamp(y, {.minValue = low, .maxValue = low + count - 1}), .narrow = narrow});
}

/// x / scale, whose zero point is 0, in a narrow float: as float32 where WebNN does not have it.
void quantize_to_float(Call& c, const MLOperand& x, const Parameters& p, ElementType narrow,
                       bool saturates, bool blocks) {
  if (blocks) c.unsupported("blocks of narrow floats");
  const MLOperand y = c.b.div(x, p.scale, {.label = c.label()});
  const MLOperand z = c.narrowed(c.cast(y, float32), narrow, saturates);
  if (const auto type = data_type_of(narrow)) c.put(c.b.cast(z, *type));
  else c.set(0, {.x = z, .narrow = narrow});
}

std::uint32_t axis_of(Call& c, const MLOperand& x) {
  const std::int64_t axis = c.integer("axis", 1);
  // With one scale the axis does not count, and need not exist.
  if (element_count(c.x(1).shape()) == 1 && c.x(1).rank() < 2) return 0;
  return c.axis(axis, x.rank());
}

/// A scale that is computed in every run is that of no integer kernel. The quotient is then rounded
/// to the type of x, as ONNX has it, where quantizeLinear divides exactly.
MLOperand quantized(Call& c, const MLOperand& x, const Parameters& p, bool blocks = false) {
  const MLOperandDataType type = p.zero.dataType();
  if (p.scale.constant() || blocks || (type != int8 && type != uint8))
    return c.b.quantizeLinear(x, p.scale, p.zero, {.label = c.label()});
  const MLOperand y = c.b.add(c.b.roundEven(c.b.div(x, p.scale)), c.b.cast(p.zero, x.dataType()));
  const double low = type == int8 ? -128 : 0, high = type == int8 ? 127 : 255;
  return c.b.cast(c.b.clamp(y, {.minValue = low, .maxValue = high}), type, {.label = c.label()});
}

void quantize(Call& c) {
  MLOperand x = c.x(), scale = c.x(1);
  const bool saturates = c.integer("saturate", 1) != 0;
  const ElementType precision = c.element_type("precision", ElementType::UNDEFINED);
  // The quotient is float32 but where all of it is float16.
  if (x.dataType() != scale.dataType() || precision == ElementType::FLOAT) {
    x = c.cast(x, float32);
    scale = c.cast(scale, float32);
  }
  const std::int64_t block = c.integer("block_size", 0);
  ElementType narrow = ElementType::UNDEFINED;
  const MLOperandDataType type = quantized_type(c, narrow);
  const auto p = parameters_of(c, x, scale, c.optional(2), type, axis_of(c, x), block);
  // quantizeLinear saturates.
  if (type == float8e4m3 && !saturates)
    return quantize_to_float(c, x, p, ElementType::FLOAT8E4M3FN, false, block > 0);
  if (is_narrow_float(narrow)) return quantize_to_float(c, x, p, narrow, saturates, block > 0);
  const MLOperand y = quantized(c, x, p, block > 0);
  if (is_narrow(narrow)) put_narrow(c, y, narrow);
  else c.put(y);
}

void dequantize(Call& c) {
  const MLOperand x = c.x();
  MLOperand scale = c.x(1);
  const ElementType given = c.element_type("output_dtype", ElementType::UNDEFINED);
  const auto type = given == ElementType::UNDEFINED ? scale.dataType() : c.data_type(given);
  if (type == float32) scale = c.cast(scale, float32);
  const std::int64_t block = c.integer("block_size", 0);
  const auto p = parameters_of(c, x, scale, c.optional(2), x.dataType(), axis_of(c, x), block);
  if (is_narrow_float(c.in(0).narrow)) {
    if (block > 0) c.unsupported("blocks of narrow floats");
    c.put(c.cast(c.b.mul(c.cast(x, scale.dataType()), p.scale, {.label = c.label()}), type));
    return;
  }
  c.put(c.cast(c.b.dequantizeLinear(x, p.scale, p.zero, {.label = c.label()}), type));
}

void dynamic_quantize(Call& c) {
  const Quantized q = quantized_by_range(c, c.x());
  c.put(q.y);
  c.put(q.scale, 1);
  c.put(q.zero, 2);
}

}  // namespace

MLOperand dequantized(Call& c, std::size_t i, std::uint32_t axis) {
  const MLOperand x = c.x(i);
  const auto p = parameters_of(c, x, c.x(i + 1), c.optional(i + 2), x.dataType(), axis);
  return c.b.dequantizeLinear(x, p.scale, p.zero);
}
void put_quantized(Call& c, const MLOperand& y, std::size_t i) {
  const auto p = parameters_of(c, y, c.x(i), c.optional(i + 1),
                               c.has(i + 1) ? c.x(i + 1).dataType() : uint8, 0);
  c.put(c.b.quantizeLinear(y, p.scale, p.zero));
}

namespace {

void qlinear_conv(Call& c) {
  const MLOperand x = dequantized(c, 0, 0), filter = dequantized(c, 3, 0);
  std::optional<MLOperand> bias;
  if (c.has(8)) {
    const MLOperand v = c.x(8);
    const MLOperand product = c.b.mul(c.reshaped(c.x(1), {}), c.x(4));
    const auto p = parameters_of(c, v, product, std::nullopt, v.dataType(), 0);
    bias = c.b.dequantizeLinear(v, p.scale, p.zero);
  }
  const SizeList sizes = spatial_sizes(c, x);
  const Window w = window_of(c, kernel_of(c, sizes.size(), &filter), sizes);
  put_quantized(c, convolve(c, x, filter, bias, w), 6);
}

void qlinear_matmul(Call& c) {
  // Scales along an axis are those of the rows of a and of the columns of b.
  const std::uint32_t rows = std::max(c.x(0).rank(), 2u) - 2;
  const std::uint32_t columns = std::max(c.x(3).rank(), 1u) - 1;
  const MLOperand y =
      c.b.matmul(dequantized(c, 0, rows), dequantized(c, 3, columns), {.label = c.label()});
  put_quantized(c, y, 6);
}

/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
template <class Op> void qlinear_binary(Call& c) {
  put_quantized(c, c.b.append(Op{dequantized(c, 0, 0), dequantized(c, 3, 0), {}}), 6);
}
void qlinear_sigmoid(Call& c) { put_quantized(c, c.b.sigmoid(dequantized(c, 0, 0)), 3); }
void qlinear_leaky_relu(Call& c) {
  put_quantized(c, c.b.leakyRelu(dequantized(c, 0, 0), {.alpha = c.real("alpha", 0.01)}), 3);
}
void qlinear_global_average_pool(Call& c) {
  const MLOperand x = dequantized(c, 0, 0);
  const bool last = c.integer("channels_last", 0) != 0;
  c.require_rank(x, 4, 4);
  put_quantized(c,
                c.b.averagePool2d(
                    x, {.layout = last ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw}),
                3);
}

/// The condition, then both operands, then the scale and the zero point of the result.
void qlinear_where(Call& c) {
  const MLOperand x = dequantized(c, 1, 0), y = dequantized(c, 4, 0);
  put_quantized(c, c.b.where(c.x(0), x, y, {.label = c.label()}), 7);
}

void qlinear_average_pool(Call& c) {
  MLOperand x = dequantized(c, 0, 0);
  const bool last = c.integer("channels_last", 0) != 0;
  if (last) c.require_rank(x, 4, 4);
  if (last) x = c.b.transpose(x, {.permutation = {0, 3, 1, 2}});
  const MLOperand y = average_pooled(c, x);
  put_quantized(c, last ? c.b.transpose(y, {.permutation = {0, 2, 3, 1}}) : y, 3);
}

/// The scale and the zero point of the result, then of each operand behind it.
void qlinear_concat(Call& c) {
  if (c.inputs() % 3 != 2) c.refuse(fail("it has {} inputs", c.inputs()));
  std::vector<MLOperand> parts;
  for (std::size_t i = 2; i < c.inputs(); i += 3) parts.push_back(dequantized(c, i, 0));
  const std::uint32_t axis = c.axis(c.integer("axis", 1), parts[0].rank());
  put_quantized(c, c.b.concat(parts, axis, {.label = c.label()}), 0);
}

/// alpha (A B + C), where the scale of C is the product of those of A and B.
void qgemm(Call& c) {
  const bool transposed = c.integer("transB", 0) != 0;
  std::optional<MLOperand> sum;
  if (c.has(6)) {
    const auto p = parameters_of(c, c.x(6), c.b.mul(c.reshaped(c.x(1), {}), c.x(4)), std::nullopt,
                                 int32, c.x(6).rank() - 1);
    sum = c.b.dequantizeLinear(c.x(6), p.scale, p.zero);
  }
  const double alpha = c.real("alpha", 1);
  const MLOperand y = c.b.gemm(dequantized(c, 0, 0), dequantized(c, 3, transposed ? 0 : 1),
                               {.c = sum,
                                .alpha = alpha,
                                .beta = alpha,
                                .aTranspose = c.integer("transA", 0) != 0,
                                .bTranspose = transposed,
                                .label = c.label()});
  if (c.has(7)) put_quantized(c, y, 7);
  else c.put(y);
}

constexpr Handler handlers[] = {
    {"DequantizeLinear", &dequantize, 10, 2, 3, 1,
     "INT2 to INT32, UINT2 to UINT16 and FLOAT8E4M3FN, along an axis and in blocks; other floats "
     "of 4 and 8 bits, along an axis"},
    {"DynamicQuantizeLinear", &dynamic_quantize, 11, 1, 1, 3, "composed"},
    {"QLinearConv", &qlinear_conv, 10, 8, 9, 1, "INT8 and UINT8"},
    {"QLinearMatMul", &qlinear_matmul, 10, 8, 8, 1, "INT8 and UINT8"},
    {"QuantizeLinear", &quantize, 10, 2, 3, 1,
     "INT2 to INT16, UINT2 to UINT16 and FLOAT8E4M3FN, along an axis and in blocks; other floats "
     "of 4 and 8 bits, and those without saturation, along an axis; what WebNN does not have is "
     "held in a wider type"},
    {"DequantizeLinear", &dequantize, 1, 2, 3, 1, "", "com.microsoft"},
    {"QGemm", &qgemm, 1, 6, 9, 1, "", "com.microsoft"},
    {"QLinearAdd", &qlinear_binary<ops::add>, 1, 7, 8, 1, "", "com.microsoft"},
    {"QLinearAveragePool", &qlinear_average_pool, 1, 4, 5, 1, "as AveragePool", "com.microsoft"},
    {"QLinearConcat", &qlinear_concat, 1, 5, many, 1, "", "com.microsoft"},
    {"QLinearGlobalAveragePool", &qlinear_global_average_pool, 1, 4, 5, 1, "", "com.microsoft"},
    {"QLinearLeakyRelu", &qlinear_leaky_relu, 1, 4, 5, 1, "", "com.microsoft"},
    {"QLinearMul", &qlinear_binary<ops::mul>, 1, 7, 8, 1, "", "com.microsoft"},
    {"QLinearSigmoid", &qlinear_sigmoid, 1, 4, 5, 1, "", "com.microsoft"},
    {"QLinearWhere", &qlinear_where, 1, 9, 9, 1, "", "com.microsoft"},
    {"QuantizeLinear", &quantize, 1, 2, 3, 1, "", "com.microsoft"},
};

}  // namespace

MLOperand with_whole_blocks(const Call& c, const MLOperand& v, std::uint32_t axis,
                            std::uint32_t size, std::int64_t block) {
  const std::uint32_t n = v.shape()[axis];
  if (block < 1 || (block >= size ? 1 : (size + block - 1) / block) != n)
    c.refuse(fail("blocks of {} elements of dimension {} ({}) are not {}", block, axis, size, n));
  if (n == 1 || size % block == 0) return v;
  // WebNN's blocks have one size: each element of the last ones has its own.
  if (bits_of(v.dataType()) < 8)
    c.unsupported(fail("blocks of {} do not divide dimension {} ({})", block, axis, size));
  Ints places;
  for (std::uint32_t i = 0; i < size; ++i) places.push_back(i / block);
  const MLOperand y = c.b.gather(v, c.int64s({size}, places), {.axis = axis});
  if (v.constant())
    if (const auto k = formats::folded(y, c.b)) return *k;
  return y;
}

namespace {

/// x with that shape, which WebNN's reshape does not do with 4 bits: as numbers.
MLOperand reshaped_small(const Call& c, const MLOperand& x, const Dims& shape) {
  if (bits_of(x.dataType()) >= 8 || x.constant() || x.shape() == shape) return c.reshaped(x, shape);
  const auto unit = [&](std::size_t rank) {
    const Dims ones(rank, 1);
    return std::pair(c.floats(float32, ones, {1}),
                     c.b.constant({x.dataType(), ones}, Block(1).constant()));
  };
  const auto [scale, zero] = unit(x.rank());
  const auto [to_scale, to_zero] = unit(shape.size());
  return c.b.quantizeLinear(c.reshaped(c.b.dequantizeLinear(x, scale, zero), shape), to_scale,
                            to_zero);
}

/// The scale, and the zero point in its shape; zeros where there is none.
Parameters with_shape(const Call& c, const MLOperand& scale, const std::optional<MLOperand>& zero,
                      MLOperandDataType type) {
  const Dims& shape = scale.shape();
  const std::uint64_t n = element_count(shape);
  const MLOperand zeros = zero ? *zero : c.scalar(bits_of(type) < 8 ? int8 : type, 0);
  if (zero && zero->dataType() != type && bits_of(type) >= 8)
    c.refuse(fail("the zero point is {}, the operand {}", zero->dataType(), type));
  MLOperand z;
  if (zero) {
    z = element_count(zero->shape()) == n ? reshaped_small(c, *zero, shape)
                                          : c.b.expand(c.reshaped(*zero, {}), shape);
  } else if (bits_of(type) < 8) {
    // Two elements share a byte, and WebNN has no expand of them.
    const std::uint64_t bytes = (n + 1) / 2;
    c.spend(bytes);
    z = c.b.constant({type, shape}, Block(bytes).constant());
  } else {
    z = c.b.expand(zeros, shape);
  }
  return {scale, z};
}

}  // namespace

Quantized quantized_by_range(Call& c, const MLOperand& x) {
  auto& known = c.scope().import().quantized;
  if (const auto found = known.find(&x.record()); found != known.end()) return found->second;
  const MLOperand zero = c.scalar_like(x, 0);
  const MLOperand high = c.b.max(c.b.reduceMax(x), zero), low = c.b.min(c.b.reduceMin(x), zero);
  // Where all elements are 0, so is the range, and the scale is 1.
  const MLOperand range = c.b.sub(high, low);
  const MLOperand scale =
      c.b.where(c.b.equal(range, zero), c.scalar_like(x, 1), c.b.div(range, c.scalar_like(x, 255)));
  const MLOperand place =
      c.b.clamp(c.b.roundEven(c.b.neg(c.b.div(low, scale))), {.minValue = 0, .maxValue = 255});
  const MLOperand zero_point = c.b.cast(place, uint8);
  const MLOperand y = quantized(c, x, parameters_of(c, x, scale, zero_point, uint8, 0));
  return known.emplace(&x.record(), Quantized{y, scale, zero_point}).first->second;
}

Parameters parameters_of(const Call& c, const MLOperand& x, const MLOperand& given,
                         const std::optional<MLOperand>& zero_point, MLOperandDataType type,
                         std::uint32_t axis, std::int64_t block) {
  if (block < 0) c.refuse(fail("block_size ({}) is negative", block));
  Dims shape(x.rank(), 1);
  const std::uint64_t n = element_count(given.shape());
  if (given.rank() == x.rank() && given.rank() > 1) shape = given.shape();
  else if (n > 1 && axis < x.rank()) shape[axis] = static_cast<std::uint32_t>(n);
  bool fits = element_count(shape) == n;
  if (block > 0)
    fits = fits && axis < x.rank() && given.shape() == shape &&
           (!zero_point || zero_point->shape() == shape);
  // WebNN takes fewer for blocks, which block_size says here.
  const SizeList sizes = formats::sizes_of(x);
  for (std::uint32_t d = 0; fits && d < x.rank(); ++d)
    fits =
        (block > 0 && d == axis) || (block == 0 && shape[d] == 1) || sizes[d].number() == shape[d];
  if (!fits)
    c.refuse(fail("the scale has shape {}, the operand {}", given.shape(), Call::shape_text(x)));
  if (block > 0) {
    const auto whole = [&](const MLOperand& v) {
      return with_whole_blocks(c, v, axis, x.shape()[axis], block);
    };
    return with_shape(c, whole(given), zero_point ? std::optional(whole(*zero_point)) : zero_point,
                      type);
  }
  return with_shape(c, c.reshaped(given, shape), zero_point, type);
}

std::span<const Handler> quantization_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
