// Products of integers with sums in INT32. Sums of so few products that float32 has them exactly
// are computed as floats and added as integers.
#include "src/formats/onnx/import/convolve.h"

namespace webnn::inline v0_1::onnx {
namespace {

constexpr std::uint32_t exact = 256;  // products of two differences of bytes: 256 * 255^2 < 2^24

/// x - zero as float32, with the zero point in a shape that broadcasts to x.
MLOperand centered(Call& c, const MLOperand& x, std::size_t zero, std::uint32_t axis) {
  if (bits_of(x.dataType()) != 8) c.refuse(fail("an operand is {}", x.dataType()));
  const MLOperand y = c.cast(x, float32);
  if (!c.has(zero)) return y;
  MLOperand z = c.cast(c.x(zero), float32);
  if (z.rank() == 1 && z.shape()[0] > 1) {
    c.require_shape(z, {x.shape()[axis]}, "a zero point");
    Dims shape(x.rank(), 1);
    shape[axis] = z.shape()[0];
    z = c.reshaped(z, shape);
  } else if (element_count(z.shape()) == 1) {
    z = c.reshaped(z, {});
  }
  c.require_broadcast(z, x.shape(), "a zero point");
  return c.b.sub(y, z);
}

MLOperand sum_of(Call& c, const std::optional<MLOperand>& sum, const MLOperand& part) {
  const MLOperand y = c.b.cast(part, int32);
  return sum ? c.b.add(*sum, y) : y;
}

void matmul_integer(Call& c) {
  MLOperand a = c.x(0), d = c.x(1);
  if (a.rank() < 2 || d.rank() < 2) c.unsupported("an operand of rank 1");
  a = centered(c, a, 2, a.rank() - 2);
  d = centered(c, d, 3, d.rank() - 1);
  const std::uint32_t inner = a.shape().back();
  if (d.shape()[d.rank() - 2] != inner)
    c.refuse(fail("the shapes of a ({}) and b ({}) do not fit", a.shape(), d.shape()));
  std::optional<MLOperand> sum;
  for (std::uint32_t k = 0; k < inner; k += exact) {
    const std::uint32_t n = std::min(exact, inner - k);
    sum = sum_of(c, sum,
                 c.b.matmul(c.sliced(a, a.rank() - 1, k, n), c.sliced(d, d.rank() - 2, k, n),
                            {.label = c.label()}));
  }
  c.put(*sum);
}

void conv_integer(Call& c) {
  const MLOperand x = centered(c, c.x(0), 2, 1), filter = centered(c, c.x(1), 3, 0);
  const Ints sizes = spatial_sizes(c, x);
  const Window w = window_of(c, kernel_of(c, sizes.size(), &filter), sizes);
  std::uint64_t area = 1;
  for (std::int64_t k : w.kernel) area *= static_cast<std::uint64_t>(k);
  const std::uint32_t channels = filter.shape()[1];
  if (area > exact) c.unsupported(fail("a window of {} elements, more than {}", area, exact));
  const auto step = static_cast<std::uint32_t>(exact / area);
  if (channels > step && c.integer("group", 1) != 1)
    c.unsupported(fail("groups of {} channels, more than {}", channels, step));
  if (channels <= step) return c.put(c.b.cast(convolve(c, x, filter, std::nullopt, w), int32));
  std::optional<MLOperand> sum;
  for (std::uint32_t k = 0; k < channels; k += step) {
    const std::uint32_t n = std::min(step, channels - k);
    sum = sum_of(c, sum,
                 convolve(c, c.sliced(x, 1, k, n), c.sliced(filter, 1, k, n), std::nullopt, w));
  }
  c.put(*sum);
}

constexpr Handler handlers[] = {
    {"ConvInteger", &conv_integer, 10, 2, 4, 1, "as float32, in parts whose sums are exact"},
    {"MatMulInteger", &matmul_integer, 10, 2, 4, 1, "as float32, in parts whose sums are exact"},
};

}  // namespace

std::span<const Handler> integer_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
