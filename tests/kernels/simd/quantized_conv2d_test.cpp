#include <cmath>

#include "tests/kernels/simd/quantized.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Sizes {
  std::uint32_t batch = 1, height = 9, width = 7, in = 8, out = 16, kernel_h = 1, kernel_w = 1;
  std::uint32_t groups = 1, stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
  Dims padding{0, 0, 0, 0};
  bool depthwise() const { return groups > 1 && groups == in && in == out; }
};
struct Types {
  MLOperandDataType x = uint8, filter = int8, y = uint8;
  double x_zero = 128, filter_zero = 0, y_zero = 128;
  bool per_channel = false, bias = true;
  std::optional<std::pair<double, double>> clamp{};
};

/// A filter as [out, height, width, in] with a scale for each output, or one scale.
QuantizedCase::Operand filter_of(QuantizedCase& c, const Sizes& s, const Types& t) {
  const Dims shape{s.out, s.kernel_h, s.kernel_w, s.in / s.groups};
  Scales scales{filled(float32, {1, 1, 1, 1}, 0.01), filled(t.filter, {1, 1, 1, 1}, t.filter_zero)};
  if (t.per_channel)
    scales = {c.random.tensor(float32, {s.out, 1, 1, 1}, 0.003, 0.02),
              filled(t.filter, {s.out, 1, 1, 1}, t.filter_zero)};
  return c.operand(t.filter, shape, scales, true);
}

void check_convolution(std::uint64_t seed, const Sizes& s, const Types& t,
                       const std::string& kernel) {
  CAPTURE(seed, s.height, s.width, s.in, s.out, s.kernel_h, s.kernel_w, s.groups, s.stride_x);
  QuantizedCase c(seed);
  const double x_scale = 0.05;
  std::vector<QuantizedCase::Operand> operands;
  operands.reserve(3);
  operands.push_back(c.operand(t.x, {s.batch, s.height, s.width, s.in}, x_scale, t.x_zero, false));
  operands.push_back(filter_of(c, s, t));
  const QuantizedCase::Operand &x = operands[0], &filter = operands[1];
  if (t.bias) {
    const Tensor& fs = filter.scales.scale;
    const Dims shape{static_cast<std::uint32_t>(t.per_channel ? s.out : 1)};
    Tensor scale = generated(float32, shape, [&](const Dims& at) {
      return static_cast<float>(x_scale) * fs.at({at[0], 0, 0, 0});
    });
    operands.push_back(c.operand(int32, {s.out}, {scale, filled(int32, shape, 0)}, true,
                                 std::pair(-3000.0, 3000.0)));
  }
  const MLConv2dOptions options{.padding = s.padding,
                                .strides = {s.stride_y, s.stride_x},
                                .dilations = {s.dilation_y, s.dilation_x},
                                .groups = s.groups,
                                .inputLayout = MLInputOperandLayout::nhwc,
                                .filterLayout = MLConv2dFilterOperandLayout::ohwi};
  const BuildReal build = [&](MLGraphBuilder& b, std::span<const MLOperand> v) {
    MLConv2dOptions o = options;
    if (t.bias) o.bias = v[2];
    const MLOperand y = b.conv2d(v[0], v[1], o);
    if (!t.clamp) return y;
    return b.clamp(y, {.minValue = t.clamp->first, .maxValue = t.clamp->second});
  };
  const auto real = [&](const Dims& at) {
    const std::uint32_t group = at[3] / (s.out / s.groups), inputs = s.in / s.groups;
    double sum = t.bias ? operands[2].at({at[3]}) : 0;
    for (std::uint32_t ky = 0; ky < s.kernel_h; ++ky)
      for (std::uint32_t kx = 0; kx < s.kernel_w; ++kx) {
        const auto row = std::int64_t{at[1]} * s.stride_y + ky * s.dilation_y - s.padding[0];
        const auto column = std::int64_t{at[2]} * s.stride_x + kx * s.dilation_x - s.padding[2];
        if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
        for (std::uint32_t i = 0; i < inputs; ++i)
          sum += x.at({at[0], static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column),
                       group * inputs + i}) *
                 filter.at({at[3], ky, kx, i});
      }
    return t.clamp ? std::min(std::max(sum, t.clamp->first), t.clamp->second) : sum;
  };
  const double terms = s.kernel_h * s.kernel_w * s.in / s.groups;
  const QuantizedResult result{t.y, 0.05 * 0.01 * 70 * std::sqrt(terms) * 40 / 50, t.y_zero};
  check_quantized(operands, build, result, real, kernel);
}

const Types all_types[] = {
    {},
    {.x = int8, .filter = int8, .y = int8, .x_zero = -5, .y_zero = 3, .per_channel = true},
    {.x = uint8, .filter = uint8, .y = uint8, .x_zero = 0, .filter_zero = 121, .y_zero = 0},
    {.x = int8, .filter = uint8, .y = uint8, .x_zero = -128, .filter_zero = 3, .bias = false},
    {.x = uint8,
     .filter = int8,
     .y = int8,
     .x_zero = 255,
     .filter_zero = -9,
     .y_zero = -128,
     .per_channel = true},
    {.x = int8, .y = int8, .x_zero = 127, .y_zero = -128, .clamp = std::pair(0.0, 6.0)},
    {.x = uint8, .y = uint8, .y_zero = 20, .bias = false, .clamp = std::pair(-1.0, 2.5)},
};

}  // namespace

TEST_CASE("int8 conv2d: pointwise", "[quantized]") {
  std::uint64_t seed = 0;
  for (const Types& t : all_types)
    for (const Sizes& s :
         {Sizes{}, Sizes{.in = 3, .out = 5}, Sizes{.height = 1, .width = 1, .in = 33, .out = 1},
          Sizes{.batch = 2, .height = 5, .width = 5, .in = 64, .out = 130},
          Sizes{.height = 13, .width = 11, .in = 17, .out = 48}})
      check_convolution(++seed, s, t, "simd int8 conv 1x1");
}

TEST_CASE("int8 conv2d: windows, padding, strides, dilations, groups", "[quantized]") {
  std::uint64_t seed = 100;
  for (const Types& t : all_types) {
    const Sizes sizes[] = {
        {.in = 3, .out = 16, .kernel_h = 3, .kernel_w = 3, .padding = {1, 1, 1, 1}},
        {.height = 16,
         .width = 16,
         .in = 3,
         .out = 8,
         .kernel_h = 3,
         .kernel_w = 3,
         .stride_y = 2,
         .stride_x = 2,
         .padding = {0, 1, 0, 1}},
        {.batch = 2, .in = 16, .out = 33, .kernel_h = 3, .kernel_w = 3},
        {.in = 8, .out = 16, .stride_y = 2, .stride_x = 2},
        {.height = 11,
         .width = 12,
         .in = 5,
         .out = 7,
         .kernel_h = 2,
         .kernel_w = 5,
         .stride_y = 1,
         .stride_x = 3,
         .dilation_y = 2,
         .dilation_x = 2,
         .padding = {2, 0, 3, 4}},
        {.in = 6, .out = 12, .kernel_h = 3, .kernel_w = 3, .groups = 3, .padding = {1, 1, 1, 1}},
        {.in = 4, .out = 8, .kernel_h = 3, .kernel_w = 3, .groups = 4, .padding = {1, 1, 1, 1}},
        {.height = 3, .width = 3, .in = 70, .out = 12, .kernel_h = 3, .kernel_w = 3},
        // Blocks of registers have pixels of several rows.
        {.in = 9, .out = 70, .kernel_h = 3, .kernel_w = 3, .padding = {1, 1, 1, 1}},
        {.height = 13,
         .width = 14,
         .in = 8,
         .out = 130,
         .kernel_h = 3,
         .kernel_w = 2,
         .groups = 2,
         .stride_y = 2,
         .stride_x = 2,
         .padding = {1, 1, 0, 1}},
    };
    for (const Sizes& s : sizes) check_convolution(++seed, s, t, "simd int8 conv");
  }
}

TEST_CASE("int8 conv2d: depthwise", "[quantized]") {
  std::uint64_t seed = 200;
  for (const Types& t : all_types) {
    const Sizes sizes[] = {
        {.in = 8, .out = 8, .kernel_h = 3, .kernel_w = 3, .groups = 8, .padding = {1, 1, 1, 1}},
        {.height = 10,
         .width = 10,
         .in = 24,
         .out = 24,
         .kernel_h = 3,
         .kernel_w = 3,
         .groups = 24,
         .stride_y = 2,
         .stride_x = 2,
         .padding = {0, 1, 0, 1}},
        {.batch = 2, .in = 33, .out = 33, .kernel_h = 3, .kernel_w = 3, .groups = 33},
        {.height = 12,
         .width = 9,
         .in = 64,
         .out = 64,
         .kernel_h = 5,
         .kernel_w = 5,
         .groups = 64,
         .padding = {2, 2, 2, 2}},
        {.height = 14,
         .width = 15,
         .in = 6,
         .out = 6,
         .kernel_h = 2,
         .kernel_w = 4,
         .groups = 6,
         .stride_y = 3,
         .stride_x = 2,
         .dilation_y = 3,
         .dilation_x = 3,
         .padding = {3, 2, 4, 1}},
        {.height = 1,
         .width = 20,
         .in = 3,
         .out = 3,
         .kernel_h = 1,
         .kernel_w = 7,
         .groups = 3,
         .padding = {0, 0, 3, 3}},
        {.batch = 2,
         .height = 5,
         .width = 17,
         .in = 10,
         .out = 10,
         .kernel_w = 5,
         .groups = 10,
         .stride_x = 2,
         .dilation_x = 2,
         .padding = {1, 1, 3, 2}},
        {.height = 9,
         .width = 7,
         .in = 40,
         .out = 40,
         .kernel_h = 7,
         .kernel_w = 2,
         .groups = 40,
         .padding = {3, 3, 1, 0}},
        {.height = 12,
         .width = 3,
         .in = 7,
         .out = 7,
         .kernel_h = 8,
         .groups = 7,
         .padding = {2, 3, 0, 0}},
        {.height = 2, .width = 70, .in = 5, .out = 5, .kernel_w = 64, .groups = 5},
        {.height = 25,
         .width = 5,
         .in = 64,
         .out = 64,
         .kernel_h = 3,
         .kernel_w = 3,
         .groups = 64,
         .padding = {1, 1, 1, 1}},
    };
    for (const Sizes& s : sizes) check_convolution(++seed, s, t, "simd int8 depthwise");
  }
}

TEST_CASE("int8 conv2d: depthwise windows that share columns", "[quantized]") {
  std::uint64_t seed = 300;
  for (const Types& t : all_types)
    for (const std::uint32_t channels : {16u, 32u, 64u, 96u, 192u}) {
      const std::uint32_t stride = 1 + seed % 2, width = channels == 96 ? 1 : 6 + seed % 3;
      check_convolution(++seed,
                        {.height = 5,
                         .width = width,
                         .in = channels,
                         .out = channels,
                         .kernel_h = 3,
                         .kernel_w = 3,
                         .groups = channels,
                         .stride_y = stride,
                         .stride_x = stride,
                         .padding = {1, 1, 1, 1}},
                        t, "simd int8 depthwise");
    }
}

namespace {

/// A convolution of the largest bytes with the largest weights, of one sign or of both in turn, in
/// units of the sums, is exact.
void check_largest(std::uint32_t in, std::uint32_t out, std::uint32_t kernel, std::uint32_t groups,
                   const std::string& name) {
  const Dims image{1, 5, 6, in}, filter{out, kernel, kernel, in / groups};
  const double terms = double{1} * kernel * kernel * in / groups;
  for (const double weight : {-128.0, 127.0})
    for (const bool both : {false, true}) {
      CAPTURE(in, out, kernel, groups, weight, both);
      QuantizedCase c(1);
      std::vector<QuantizedCase::Operand> operands;
      operands.push_back(c.operand(uint8, image, 1, 0, false, std::pair(255.0, 255.0)));
      operands.push_back(c.operand(int8, filter, 1, 0, true, std::pair(weight, weight)));
      if (both)  // pairs of terms whose sums do not fit 16 bits, and others behind them
        operands[1].integers = generated(int8, filter, [&](const Dims& at) {
          return (at[1] + at[2] + at[3] / 2) % 2 ? weight : -weight - 1;
        });
      double largest = 0;
      const auto sum = [&](const Dims& at) {
        double all = 0;
        for (std::uint32_t y = 0; y < kernel; ++y)
          for (std::uint32_t x = 0; x < kernel; ++x)
            for (std::uint32_t i = 0; i < in / groups; ++i)
              all += 255 * operands[1].at({at[3], y, x, i});
        return all;
      };
      for (std::uint32_t o = 0; o < out; ++o)
        largest = std::max(largest, std::abs(sum({0, 0, 0, o})));
      check_quantized(
          operands,
          [&](MLGraphBuilder& b, std::span<const MLOperand> v) {
            return b.conv2d(v[0], v[1],
                            {.groups = groups,
                             .inputLayout = MLInputOperandLayout::nhwc,
                             .filterLayout = MLConv2dFilterOperandLayout::ohwi});
          },
          {int8, std::max(largest, 255 * terms / 64) / 127, 0}, sum, name);
    }
}

}  // namespace

TEST_CASE("int8 conv2d: sums of the largest products do not saturate", "[quantized]") {
  check_largest(64, 70, 1, 1, "simd int8 conv 1x1");
  check_largest(6, 17, 3, 1, "simd int8 conv");
  check_largest(64, 64, 3, 64, "simd int8 depthwise");
  check_largest(24, 24, 5, 24, "simd int8 depthwise");
}

namespace {

/// explain() of a quantized convolution of ones.
std::string explained(Dims input, Dims filter, MLConv2dOptions options) {
  MLContext context({.threads = 1, .backends = {"simd", "reference"}});
  MLGraphBuilder b(context);
  const auto pair = [&](const Dims& shape) {
    return std::pair(b.constant({float32, shape}, std::vector<float>(element_count(shape), 0.1f)),
                     b.constant({int8, shape}, std::vector<std::int8_t>(element_count(shape), 1)));
  };
  const auto [scale, zero] = pair({1, 1, 1, 1});
  const MLOperand x = b.input("x", {int8, std::move(input)});
  const std::vector<std::int8_t> w(element_count(filter), 1);
  options.inputLayout = MLInputOperandLayout::nhwc;
  options.filterLayout = MLConv2dFilterOperandLayout::ohwi;
  const MLOperand y =
      b.conv2d(b.dequantizeLinear(x, scale, zero),
               b.dequantizeLinear(b.constant({int8, filter}, w), scale, zero), options);
  return b.build({{"y", b.quantizeLinear(y, scale, zero)}}).explain();
}

}  // namespace

TEST_CASE("int8 conv2d: refusals with their reasons", "[quantized]") {
  const std::string start = "quantized, on floats: 1 x conv2d (simd: ";
  // A padded image of a terabyte.
  CHECK(explained({1, 1, 1, 64}, {1, 1, 1, 64},
                  {.padding = {1 << 20, 0, 1 << 14, 0}, .strides = {1 << 20, 1 << 14}})
            .find(start + "needs too much scratch") != std::string::npos);
  CHECK(
      explained({1, 1, 1, 64}, {64, 1, 1, 1},
                {.padding = {1 << 20, 0, 1 << 14, 0}, .strides = {1 << 20, 1 << 14}, .groups = 64})
          .find(start + "needs too much scratch") != std::string::npos);
  CHECK(explained({1, 1, 1, 40000}, {80000, 1, 1, 1}, {.groups = 40000})
            .find(start + "quantized: the groups are too small") != std::string::npos);
}
