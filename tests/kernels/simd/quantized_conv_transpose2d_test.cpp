#include "tests/kernels/simd/quantized.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Operands = std::vector<QuantizedCase::Operand>;
using Values = std::span<const MLOperand>;

struct Sizes {
  std::uint32_t batch, height, width, in, out, kernel_h, kernel_w, stride_y, stride_x;
  Dims padding{0, 0, 0, 0}, output_padding{0, 0};
};
const Sizes all_sizes[] = {
    {1, 5, 6, 8, 16, 2, 2, 2, 2},
    {2, 4, 7, 33, 5, 3, 3, 2, 2, {1, 1, 1, 1}, {1, 1}},
    {1, 6, 5, 16, 40, 4, 4, 2, 2, {1, 1, 1, 1}},
    {1, 7, 9, 6, 70, 3, 3, 1, 1, {1, 1, 1, 1}},
    {1, 3, 4, 64, 3, 5, 4, 3, 2, {2, 0, 1, 2}, {1, 0}},
    {1, 1, 9, 12, 12, 1, 8, 1, 4, {0, 0, 2, 2}},
};
struct Types {
  MLOperandDataType x, filter, y;
  double x_zero, filter_zero, y_zero;
  bool per_channel;
};
const Types all_types[] = {{uint8, int8, uint8, 128, 0, 120, false},
                           {int8, int8, int8, -5, 0, 3, true},
                           {uint8, uint8, int8, 255, 121, -100, false},
                           {int8, uint8, uint8, -128, 3, 10, true}};

void check_transposed(std::uint64_t seed, const Sizes& s, const Types& t,
                      MLConvTranspose2dFilterOperandLayout layout) {
  using enum MLConvTranspose2dFilterOperandLayout;
  CAPTURE(seed, s.in, s.out, s.kernel_h, s.stride_y);
  QuantizedCase c(seed);
  const std::size_t output_at = layout == iohw ? 1 : layout == hwoi ? 2 : 0;
  const Dims shape = layout == iohw   ? Dims{s.in, s.out, s.kernel_h, s.kernel_w}
                     : layout == hwoi ? Dims{s.kernel_h, s.kernel_w, s.out, s.in}
                                      : Dims{s.out, s.kernel_h, s.kernel_w, s.in};
  Dims of_scales(4, 1);
  if (t.per_channel) of_scales[output_at] = s.out;
  Operands x{c.operand(t.x, {s.batch, s.height, s.width, s.in}, 0.05, t.x_zero, false),
             c.operand(t.filter, shape,
                       {c.random.tensor(float32, of_scales, 0.004, 0.02),
                        filled(t.filter, of_scales, t.filter_zero)},
                       true)};
  const Tensor bias = c.random.tensor(float32, {s.out}, -3, 3);
  const auto at = [&](std::uint32_t i, std::uint32_t o, std::uint32_t h, std::uint32_t w) {
    return layout == iohw ? Dims{i, o, h, w} : layout == hwoi ? Dims{h, w, o, i} : Dims{o, h, w, i};
  };
  const auto real = [&](const Dims& y) {
    double sum = bias.at({y[3]});
    for (std::uint32_t kh = 0; kh < s.kernel_h; ++kh)
      for (std::uint32_t kw = 0; kw < s.kernel_w; ++kw) {
        const std::int64_t row = std::int64_t{y[1]} + s.padding[0] - kh,
                           column = std::int64_t{y[2]} + s.padding[2] - kw;
        if (row < 0 || column < 0 || row % s.stride_y || column % s.stride_x) continue;
        const auto h = static_cast<std::uint32_t>(row / s.stride_y),
                   w = static_cast<std::uint32_t>(column / s.stride_x);
        if (h >= s.height || w >= s.width) continue;
        for (std::uint32_t i = 0; i < s.in; ++i)
          sum += x[0].at({y[0], h, w, i}) * x[1].at(at(i, y[3], kh, kw));
      }
    return sum;
  };
  const double terms = double{1} * s.kernel_h * s.kernel_w * s.in / (s.stride_y * s.stride_x);
  check_quantized(
      x,
      [&](MLGraphBuilder& b, Values v) {
        return b.convTranspose2d(
            v[0], v[1],
            {.padding = s.padding,
             .strides = {s.stride_y, s.stride_x},
             .outputPadding = s.output_padding,
             .inputLayout = MLInputOperandLayout::nhwc,
             .filterLayout = layout,
             .bias = b.constant({float32, {s.out}}, std::span<const std::byte>(bias.bytes))});
      },
      {t.y, 0.03 * std::sqrt(terms), t.y_zero, -1}, real, "simd int8 phases");
}

}  // namespace

TEST_CASE("int8 convTranspose2d: sizes, types, layouts of filters", "[quantized]") {
  using enum MLConvTranspose2dFilterOperandLayout;
  std::uint64_t seed = 1700;
  for (const Sizes& s : all_sizes)
    for (const Types& t : all_types) {
      const auto layout = seed % 3 == 0 ? iohw : seed % 3 == 1 ? hwoi : ohwi;
      check_transposed(++seed, s, t, layout);
    }
}
