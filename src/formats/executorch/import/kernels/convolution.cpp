// Convolutions, pooling and batch normalization of images, in the order [batch, channels, height,
// width].
#include <algorithm>

#include "src/formats/executorch/import/kernels.h"

namespace webnn::inline v0_1::executorch {
namespace {

/// A list of two sizes; one stands for both, and none for `absent`.
Dims pair_of(const KernelCall& c, std::size_t i, const Dims& absent, std::int64_t least) {
  std::vector<std::int64_t> list = c.integers(i);
  if (list.empty()) return absent;
  if (list.size() == 1) list.push_back(list[0]);
  if (list.size() != 2) c.unsupported(fail("argument {} has {} elements", i, list.size()));
  Dims pair;
  for (const std::int64_t n : list) {
    if (n < least || n > static_cast<std::int64_t>(max_tensor_byte_length))
      c.refuse(fail("argument {} has the element {}", i, n));
    pair.push_back(static_cast<std::uint32_t>(n));
  }
  return pair;
}
Dims on_both_sides(const Dims& p) { return {p[0], p[0], p[1], p[1]}; }

void require_images(const KernelCall& c, const MLOperand& x) {
  if (x.rank() != 4) c.unsupported(fail("its operand has {} dimensions, not 4", x.rank()));
}

MLOperand convolution(const KernelCall& c) {
  const MLOperand x = c.x(0), filter = c.x(1);
  require_images(c, x);
  const std::int64_t groups = c.integer(8);
  if (groups < 1 || groups > 0x7fffffff) c.refuse(fail("its groups are {}", groups));
  const Dims strides = pair_of(c, 3, {1, 1}, 1), padding = on_both_sides(pair_of(c, 4, {0, 0}, 0)),
             dilations = pair_of(c, 5, {1, 1}, 1);
  if (c.flag(6))
    return c.b.convTranspose2d(x, filter,
                               {.padding = padding,
                                .strides = strides,
                                .dilations = dilations,
                                .outputPadding = pair_of(c, 7, {0, 0}, 0),
                                .groups = static_cast<std::uint32_t>(groups),
                                .bias = c.optional(2)});
  return c.b.conv2d(x, filter,
                    {.padding = padding,
                     .strides = strides,
                     .dilations = dilations,
                     .groups = static_cast<std::uint32_t>(groups),
                     .bias = c.optional(2)});
}

/// Sizes are rounded up only where that changes nothing.
void check_rounding(const KernelCall& c, bool rounds_up, const MLOperand& x,
                    const MLPool2dOptions& o) {
  for (std::uint32_t d = 0; rounds_up && d < 2; ++d) {
    const std::uint64_t whole = std::uint64_t{x.shape()[2 + d]} + o.padding[2 * d] * 2;
    const std::uint64_t window = (std::uint64_t{(*o.windowDimensions)[d]} - 1) * o.dilations[d] + 1;
    if (whole < window || (whole - window) % o.strides[d] != 0)
      c.unsupported(fail("it rounds the size of its result up"));
  }
}

MLPool2dOptions window_of(const KernelCall& c) {
  MLPool2dOptions o;
  const Dims window = pair_of(c, 1, {1, 1}, 1);
  o.windowDimensions = window;
  o.strides = pair_of(c, 2, window, 1);
  o.padding = on_both_sides(pair_of(c, 3, {0, 0}, 0));
  return o;
}

MLOperand average_pool(const KernelCall& c) {
  MLOperand x = c.x();
  require_images(c, x);
  MLPool2dOptions o = window_of(c);
  check_rounding(c, c.flag(4), x, o);
  if (!c.is_none(6)) c.unsupported(fail("it has a divisor of its own"));
  const bool counts_padding = c.flag(5);
  if (counts_padding && std::ranges::any_of(o.padding, [](auto p) { return p > 0; })) {
    x = c.b.pad(x, {0, 0, o.padding[0], o.padding[2]}, {0, 0, o.padding[1], o.padding[3]});
    o.padding = Dims{0, 0, 0, 0};
  }
  return c.b.averagePool2d(x, o);
}

MLOperand max_pool(const KernelCall& c) {
  const MLOperand x = c.x();
  require_images(c, x);
  MLPool2dOptions o = window_of(c);
  o.dilations = pair_of(c, 4, {1, 1}, 1);
  check_rounding(c, c.flag(5), x, o);
  return c.b.maxPool2d(x, o);
}

MLOperand batch_norm(const KernelCall& c) {
  return c.b.batchNormalization(
      c.x(), c.x(3), c.x(4),
      {.scale = c.optional(1), .bias = c.optional(2), .epsilon = c.number(6)});
}

constexpr KernelRow rows[] = {
    {"aten::convolution.out", &convolution},
    {"aten::avg_pool2d.out", &average_pool},
    {"aten::max_pool2d_with_indices.out", &max_pool, 6},
    {"aten::_native_batch_norm_legit_no_training.out", &batch_norm, 7},
};

}  // namespace

std::span<const KernelRow> convolution_kernels() { return rows; }

}  // namespace webnn::inline v0_1::executorch
