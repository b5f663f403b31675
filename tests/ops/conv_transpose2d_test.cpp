#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Layout = MLConvTranspose2dFilterOperandLayout;

/// Sizes of a case; the options hold the rest.
struct Sizes {
  std::uint32_t batch, inputs, height, width;  // the sizes of the input
  std::uint32_t outputs, down, across;         // output channels of a group, the kernel
};

Dims image_dims(std::uint32_t n, std::uint32_t c, std::uint32_t h, std::uint32_t w,
                MLInputOperandLayout layout) {
  if (layout == MLInputOperandLayout::nchw) return {n, c, h, w};
  return {n, h, w, c};
}
Dims filter_dims(std::uint32_t i, std::uint32_t o, std::uint32_t h, std::uint32_t w,
                 Layout layout) {
  switch (layout) {
    case Layout::iohw: return {i, o, h, w};
    case Layout::hwoi: return {h, w, o, i};
    case Layout::ohwi: return {o, h, w, i};
  }
  return {};
}

/// The contract's sums: each input element adds its multiple of the filter to the result.
Tensor transposed(const Tensor& x, const Tensor& filter, const Tensor* bias, const Sizes& s,
                  const MLConvTranspose2dOptions& o) {
  const std::uint32_t channels = s.outputs * o.groups;
  const auto size = [&](std::size_t i, std::uint32_t in, std::uint32_t kernel) {
    if (o.outputSizes) return (*o.outputSizes)[i];
    return (in - 1) * o.strides[i] + (kernel - 1) * o.dilations[i] + 1 + o.outputPadding[i] -
           o.padding[2 * i] - o.padding[2 * i + 1];
  };
  const std::uint32_t height = size(0, s.height, s.down), width = size(1, s.width, s.across);
  const Dims shape = image_dims(s.batch, channels, height, width, o.inputLayout);
  std::vector<double> y(element_count(shape));
  const auto place = [&](std::uint32_t n, std::uint32_t c, std::uint32_t h, std::uint32_t w) {
    return place_in(shape, image_dims(n, c, h, w, o.inputLayout));
  };
  for_each_place({s.batch, s.inputs, s.height, s.width}, [&](const Dims& at) {
    const std::uint32_t group = at[1] / (s.inputs / o.groups);
    const double v = x.at(image_dims(at[0], at[1], at[2], at[3], o.inputLayout));
    for_each_place({s.outputs, s.down, s.across}, [&](const Dims& k) {
      const std::int64_t h =
          std::int64_t{at[2]} * o.strides[0] + k[1] * o.dilations[0] - std::int64_t{o.padding[0]};
      const std::int64_t w =
          std::int64_t{at[3]} * o.strides[1] + k[2] * o.dilations[1] - std::int64_t{o.padding[2]};
      if (h < 0 || w < 0 || h >= height || w >= width) return;
      y[place(at[0], group * s.outputs + k[0], static_cast<std::uint32_t>(h),
              static_cast<std::uint32_t>(w))] +=
          v * filter.at(filter_dims(at[1], k[0], k[1], k[2], o.filterLayout));
    });
  });
  if (bias)
    for_each_place({s.batch, channels, height, width},
                   [&](const Dims& at) { y[place(at[0], at[1], at[2], at[3])] += (*bias)[at[1]]; });
  return tensor(x.type, shape, y);
}

void check_transposed(Random& random, MLOperandDataType type, const Sizes& s,
                      const MLConvTranspose2dOptions& o, bool with_bias) {
  // All have one sign: kernels compute in float32, where sums near zero would be differences of
  // larger numbers. Operands of both signs are in the comparison with a rotated convolution.
  std::vector<Tensor> in{
      random.tensor(type, image_dims(s.batch, s.inputs, s.height, s.width, o.inputLayout), 0.25, 4),
      random.tensor(type, filter_dims(s.inputs, s.outputs, s.down, s.across, o.filterLayout), -1,
                    -0.1)};
  if (with_bias) in.push_back(random.tensor(type, {s.outputs * o.groups}, -4, -0.25));
  const auto build = [&](MLGraphBuilder& b, Build::Operands x) {
    MLConvTranspose2dOptions options = o;
    if (with_bias) options.bias = x[2];
    return b.convTranspose2d(x[0], x[1], options);
  };
  const Tensor y = transposed(in[0], in[1], with_bias ? &in[2] : nullptr, s, o);
  const double terms = static_cast<double>(s.down * s.across * (s.inputs / o.groups));
  const Tolerance tolerance = tolerance_of("convTranspose2d", type, terms);
  check({build, in, {y}, tolerance});
  check({build, in, {y}, tolerance, {1}});  // the filter as a constant, which kernels may pack
}

}  // namespace

TEST_CASE("convTranspose2d: known results", "[convTranspose2d]") {
  check({[](auto& b, auto x) {
           return b.convTranspose2d(
               x[0], x[1], {.padding = {1, 1, 1, 1}, .strides = {2, 2}, .outputPadding = {1, 1}});
         },
         {tensor(float32, {1, 1, 2, 2}, {1, 2, 3, 4}),
          tensor(float32, {1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})},
         {tensor(float32, {1, 1, 4, 4},
                 {5, 14, 10, 12, 14, 36, 24, 30, 15, 34, 20, 24, 24, 55, 32, 36})}});
  check({[](auto& b, auto x) { return b.convTranspose2d(x[0], x[1], {.groups = 2}); },
         {tensor(float32, {1, 2, 1, 1}, {1, 10}), tensor(float32, {2, 2, 1, 1}, {1, 2, 3, 4})},
         {tensor(float32, {1, 4, 1, 1}, {1, 2, 30, 40})}});
}

TEST_CASE("convTranspose2d: every layout and type, strides, dilations, groups, padding",
          "[convTranspose2d]") {
  Random random(301);
  using enum MLInputOperandLayout;
  for (MLOperandDataType type : {float32, float16, bfloat16})
    for (auto layout : {nchw, nhwc})
      for (auto filter : {Layout::iohw, Layout::hwoi, Layout::ohwi})
        for (int i = 0; i < 6; ++i) {
          const std::uint32_t groups = random.integer(1, 3);
          const Sizes s{random.integer(1, 2), groups * random.integer(1, 3), random.integer(1, 5),
                        random.integer(1, 6), random.integer(1, 3),          random.integer(1, 3),
                        random.integer(1, 4)};
          MLConvTranspose2dOptions o{.strides = {random.integer(1, 3), random.integer(1, 3)},
                                     .dilations = {random.integer(1, 2), random.integer(1, 3)},
                                     .groups = groups,
                                     .inputLayout = layout,
                                     .filterLayout = filter};
          for (std::size_t k : {0, 1}) o.outputPadding[k] = random.integer(0, o.strides[k] - 1);
          // Less than the kernel covers, so that something is left.
          const std::uint32_t cover[] = {(s.down - 1) * o.dilations[0],
                                         (s.across - 1) * o.dilations[1]};
          for (std::size_t k = 0; k < 4; ++k) o.padding[k] = random.integer(0, cover[k / 2] / 2);
          check_transposed(random, type, s, o, i % 2 == 0);
        }
}

TEST_CASE("convTranspose2d: outputSizes between two multiples of the stride", "[convTranspose2d]") {
  Random random(302);
  for (std::uint32_t height : {9, 10, 11})
    for (std::uint32_t width : {7, 8})
      check_transposed(random, float32, {1, 2, 4, 4, 3, 2, 3},
                       {.padding = {1, 1, 1, 1},
                        .strides = {3, 2},
                        .outputPadding = {77, 77},  // ignored
                        .outputSizes = {height, width}},
                       true);
}

TEST_CASE("convTranspose2d: rows and columns without contributions have the bias",
          "[convTranspose2d]") {
  Random random(303);
  check_transposed(random, float32, {1, 1, 3, 3, 2, 1, 2},
                   {.strides = {4, 5}, .outputPadding = {3, 4}}, true);
}

TEST_CASE("convTranspose2d: padding beyond the first and the last element", "[convTranspose2d]") {
  Random random(304);
  check_transposed(random, float32, {1, 2, 5, 6, 1, 2, 3},
                   {.padding = {3, 2, 4, 4}, .strides = {2, 3}}, false);
}

TEST_CASE("convTranspose2d: huge strides and dilations of single elements", "[convTranspose2d]") {
  Random random(305);
  check_transposed(random, float32, {1, 2, 1, 1, 2, 1, 1},
                   {.strides = {0xffffffff, 0xffffffff}, .dilations = {0xffffffff, 0xffffffff}},
                   false);
  // The kernel's second row is 2^32 - 1 rows below the first and is cropped.
  check_transposed(random, float32, {1, 1, 1, 3, 1, 2, 1},
                   {.padding = {0, 0xfffffffe, 0, 0}, .dilations = {0xffffffff, 1}}, false);
  check_transposed(random, float32, {1, 1, 1, 3, 1, 2, 1},
                   {.padding = {0xfffffffe, 0, 0, 0}, .dilations = {0xffffffff, 1}}, false);
}

TEST_CASE("convTranspose2d: in many tiles, rows longer than a piece", "[convTranspose2d]") {
  Random random(306);
  check_transposed(random, float32, {2, 8, 19, 23, 6, 3, 3},
                   {.padding = {1, 1, 1, 1}, .strides = {2, 2}}, true);
  check_transposed(random, float32, {2, 8, 19, 23, 6, 3, 3},
                   {.padding = {1, 1, 1, 1},
                    .strides = {2, 2},
                    .inputLayout = MLInputOperandLayout::nhwc,
                    .filterLayout = Layout::ohwi},
                   true);
  check_transposed(random, float32, {1, 2, 2, 401, 2, 1, 5}, {.strides = {1, 3}}, false);
  check_transposed(random, float32, {1, 2, 2, 901, 2, 2, 3}, {}, false);
}

TEST_CASE("convTranspose2d: a convolution with the kernel rotated by 180 degrees",
          "[convTranspose2d]") {
  Random random(307);
  for (std::uint32_t dilation : {1, 2}) {
    const std::vector<Tensor> in{random.tensor(float32, {2, 3, 7, 8}),
                                 random.tensor(float32, {3, 4, 3, 3})};
    const std::uint32_t across = 2 * dilation;
    check_same(
        [=](auto& b, auto x) {
          return b.convTranspose2d(x[0], x[1],
                                   {.padding = {1, 0, 2, 1}, .dilations = {dilation, dilation}});
        },
        [=](auto& b, auto x) {
          const MLOperand turned =
              b.reverse(b.transpose(x[1], {.permutation = {1, 0, 2, 3}}), {.axes = {2, 3}});
          return b.conv2d(x[0], turned,
                          {.padding = {across - 1, across, across - 2, across - 1},
                           .dilations = {dilation, dilation}});
        },
        in,
        {.ulp = tolerance_of("convTranspose2d", float32, 27).ulp +
                tolerance_of("conv2d", float32, 27).ulp});
  }
}
