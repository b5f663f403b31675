// Products of integers. With constant integers on the right whose result becomes FLOAT, they are
// products of dequantizeLinear with scales of 1, of which backends make integer kernels. Others are
// computed as floats in parts of so few products that float32 has the sums exactly, which are added
// as integers.
#include "src/formats/onnx/import/convolve.h"
#include "src/formats/onnx/import/quantize.h"

namespace webnn::inline v0_1::onnx {
namespace {

constexpr std::uint32_t exact = 256;  // products of two differences of bytes: 256 * 255^2 < 2^24

using Zero = std::optional<MLOperand>;

/// x - zero as float32, with the zero point in a shape that broadcasts to x.
MLOperand centered(Call& c, const MLOperand& x, const Zero& zero, std::uint32_t axis) {
  if (x.dataType() != int8 && x.dataType() != uint8)
    c.refuse(fail("an operand is {}", x.dataType()));
  const MLOperand y = c.cast(x, float32);
  if (!zero) return y;
  MLOperand z = c.cast(*zero, float32);
  if (z.rank() == 1 && z.shape()[0] > 1) {
    c.require_shape(z, {Size::dimension(x, axis)}, "a zero point");
    Dims shape(x.rank(), 1);
    shape[axis] = z.shape()[0];
    z = c.reshaped(z, shape);
  } else if (element_count(z.shape()) == 1) {
    z = c.reshaped(z, {});
  }
  c.require_broadcast(z, x, "a zero point");
  return c.b.sub(y, z);
}

/// The same as dequantizeLinear, if x is of 8 bits and its zero points are one or those of the
/// axis.
std::optional<MLOperand> dequantized(Call& c, const MLOperand& x, const Zero& zero,
                                     std::uint32_t axis) {
  if (x.dataType() != int8 && x.dataType() != uint8) return std::nullopt;
  if (zero && zero->dataType() != x.dataType()) return std::nullopt;
  const std::uint64_t n = zero ? element_count(zero->shape()) : 1;
  if (n != 1 && (zero->rank() != 1 || !Size::dimension(x, axis).is(static_cast<std::int64_t>(n))))
    return std::nullopt;
  const Dims shape = n == 1 ? Dims() : Dims{static_cast<std::uint32_t>(n)};
  const MLOperand ones = c.floats(float32, shape, std::vector<float>(n, 1));
  const auto p = parameters_of(c, x, ones, zero, x.dataType(), axis);
  return c.b.dequantizeLinear(x, p.scale, p.zero);
}

/// Whether an integer kernel may compute a product with d: all of it is constant, and the other
/// operand has one zero point.
bool is_weight(const MLOperand& d, const Zero& zero_a, const Zero& zero_d) {
  return d.constant() && (!zero_d || zero_d->constant()) &&
         (!zero_a || element_count(zero_a->shape()) == 1);
}

MLOperand sum_of(Call& c, const std::optional<MLOperand>& sum, const MLOperand& part) {
  const MLOperand y = c.b.cast(part, int32);
  return sum ? c.b.add(*sum, y) : y;
}

/// As int32, or as float32 where that is possible and asked for.
MLOperand product(Call& c, MLOperand a, const Zero& zero_a, MLOperand d, const Zero& zero_d,
                  bool as_float) {
  if (a.rank() < 2 || d.rank() < 2) c.unsupported("an operand of rank 1");
  Size inner_size = Size::dimension(d, d.rank() - 2);
  const Size columns = Size::dimension(a, a.rank() - 1);
  if (!inner_size.is_known()) inner_size = columns;
  if (Call::differ(inner_size, columns))
    c.refuse(fail("the shapes of a ({}) and b ({}) do not fit", Call::shape_text(a),
                  Call::shape_text(d)));
  if (as_float && is_weight(d, zero_a, zero_d)) {
    const auto x = dequantized(c, a, zero_a, a.rank() - 2),
               w = dequantized(c, d, zero_d, d.rank() - 1);
    if (x && w) return c.b.matmul(*x, *w, {.label = c.label()});
  }
  a = centered(c, a, zero_a, a.rank() - 2);
  d = centered(c, d, zero_d, d.rank() - 1);
  const auto inner = static_cast<std::uint32_t>(inner_size.number());
  if (as_float && inner <= exact) return c.b.matmul(a, d, {.label = c.label()});
  std::optional<MLOperand> sum;
  for (std::uint32_t k = 0; k < inner; k += exact) {
    const std::uint32_t n = std::min(exact, inner - k);
    sum = sum_of(c, sum,
                 c.b.matmul(c.sliced(a, a.rank() - 1, k, n), c.sliced(d, d.rank() - 2, k, n),
                            {.label = c.label()}));
  }
  return *sum;
}

void matmul_integer(Call& c) {
  c.put(product(c, c.x(0), c.optional(2), c.x(1), c.optional(3), c.output_is_cast_to_float()));
}

/// The product as numbers, where scale is that of both operands, and a bias that may be missing.
void put_scaled(Call& c, const MLOperand& y, const MLOperand& scale_a, std::size_t scale_b,
                std::size_t bias) {
  const auto row = [&](const MLOperand& x, const char* name) {
    if (element_count(x.shape()) == 1) return c.reshaped(x, {});
    c.require_shape(x, {Size::dimension(y, y.rank() - 1)}, name);
    return x;
  };
  const MLOperand scale = c.b.mul(c.reshaped(scale_a, {}), row(c.x(scale_b), "the scale of b"));
  MLOperand z = c.b.mul(c.cast(y, float32), scale);
  if (c.has(bias)) z = c.b.add(z, row(c.x(bias), "bias"));
  c.put(z);
}

/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
void matmul_integer_to_float(Call& c) {
  if (element_count(c.x(2).shape()) != 1) c.unsupported("a with a scale for each row");
  const MLOperand y = product(c, c.x(0), c.optional(4), c.x(1), c.optional(5), true);
  put_scaled(c, y, c.x(2), 3, 6);
}
void dynamic_quantize_matmul(Call& c) {
  const Quantized a = quantized_by_range(c, c.x(0));
  const MLOperand y = product(c, a.y, a.zero, c.x(1), c.optional(3), true);
  put_scaled(c, y, a.scale, 2, 4);
}

void conv_integer(Call& c) {
  const MLOperand d = c.x(1);
  const Zero zero_x = c.optional(2), zero_d = c.optional(3);
  const SizeList sizes = spatial_sizes(c, c.x(0));
  const Window w = window_of(c, kernel_of(c, sizes.size(), &d), sizes);
  std::uint64_t area = 1;
  for (std::int64_t k : w.kernel) area *= static_cast<std::uint64_t>(k);
  const std::uint32_t channels = d.shape()[1];
  const bool as_float = c.output_is_cast_to_float();
  // Kernels have no integers for depthwise convolutions whose result is not quantized.
  const bool known = channels > 1 || area <= exact;
  if (as_float && d.rank() == 4 && known && is_weight(d, zero_x, zero_d)) {
    const auto image = dequantized(c, c.x(0), zero_x, 1), weights = dequantized(c, d, zero_d, 0);
    if (image && weights) return c.put(convolve(c, *image, *weights, std::nullopt, w));
  }
  const MLOperand x = centered(c, c.x(0), zero_x, 1), filter = centered(c, d, zero_d, 0);
  if (area > exact) c.unsupported(fail("a window of {} elements, more than {}", area, exact));
  const auto step = static_cast<std::uint32_t>(exact / area);
  if (channels > step && c.integer("group", 1) != 1)
    c.unsupported(fail("groups of {} channels, more than {}", channels, step));
  if (channels <= step) {
    const MLOperand y = convolve(c, x, filter, std::nullopt, w);
    return c.put(as_float ? y : c.b.cast(y, int32));
  }
  std::optional<MLOperand> sum;
  for (std::uint32_t k = 0; k < channels; k += step) {
    const std::uint32_t n = std::min(step, channels - k);
    sum = sum_of(c, sum,
                 convolve(c, c.sliced(x, 1, k, n), c.sliced(filter, 1, k, n), std::nullopt, w));
  }
  c.put(*sum);
}

constexpr std::string_view how =
    "as dequantizeLinear and a product where only Cast to FLOAT reads the result and b is "
    "constant, else as float32, in parts whose sums are exact";

constexpr Handler handlers[] = {
    {"ConvInteger", &conv_integer, 10, 2, 4, 1, how},
    {"MatMulInteger", &matmul_integer, 10, 2, 4, 1, how},
    {"DynamicQuantizeMatMul", &dynamic_quantize_matmul, 1, 3, 5, 1, "composed", "com.microsoft"},
    {"MatMulIntegerToFloat", &matmul_integer_to_float, 1, 4, 7, 1,
     "one scale for a; as MatMulInteger", "com.microsoft"},
};

}  // namespace

std::span<const Handler> integer_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
