#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/filter_layout.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Input = MLInputOperandLayout;
using Filter = MLConv2dFilterOperandLayout;

/// Sizes independent of layouts.
struct Sizes {
  std::uint32_t batch = 1, channels = 1, height = 1, width = 1, outputs = 1;
  std::uint32_t kernel_height = 1, kernel_width = 1;
};

Dims image_place(Input layout, std::uint32_t n, std::uint32_t c, std::uint32_t h, std::uint32_t w) {
  return layout == Input::nchw ? Dims{n, c, h, w} : Dims{n, h, w, c};
}

Build conv2d(const MLConv2dOptions& o) {
  return [o](MLGraphBuilder& b, Build::Operands x) {
    MLConv2dOptions options = o;
    if (x.size() > 2) options.bias = x[2];
    return b.conv2d(x[0], x[1], options);
  };
}

Tensor convolved(const std::vector<Tensor>& x, const Sizes& s, const MLConv2dOptions& o) {
  const auto count = [&](std::uint32_t in, std::uint32_t k, std::size_t d) {
    const double effective = (k - 1.0) * o.dilations[d] + 1;
    return static_cast<std::uint32_t>(
        std::floor((in - effective + o.padding[2 * d] + o.padding[2 * d + 1]) / o.strides[d] + 1));
  };
  const std::uint32_t height = count(s.height, s.kernel_height, 0);
  const std::uint32_t width = count(s.width, s.kernel_width, 1);
  const std::uint32_t inputs = s.channels / o.groups, outputs = s.outputs / o.groups;
  const bool nchw = o.inputLayout == Input::nchw;
  return generated(x[0].type, image_place(o.inputLayout, s.batch, s.outputs, height, width),
                   [&](const Dims& at) {
                     const std::uint32_t oc = at[nchw ? 1 : 3];
                     double sum = x.size() > 2 ? x[2][oc] : 0;
                     for (std::uint32_t i = 0; i < inputs; ++i)
                       for (std::uint32_t kh = 0; kh < s.kernel_height; ++kh)
                         for (std::uint32_t kw = 0; kw < s.kernel_width; ++kw) {
                           const std::int64_t h = std::int64_t{at[nchw ? 2 : 1]} * o.strides[0] +
                                                  kh * o.dilations[0] - o.padding[0];
                           const std::int64_t w = std::int64_t{at[nchw ? 3 : 2]} * o.strides[1] +
                                                  kw * o.dilations[1] - o.padding[2];
                           if (h < 0 || w < 0 || h >= s.height || w >= s.width) continue;
                           sum +=
                               x[0].at(image_place(o.inputLayout, at[0], oc / outputs * inputs + i,
                                                   static_cast<std::uint32_t>(h),
                                                   static_cast<std::uint32_t>(w))) *
                               x[1].at(in_layout(o.filterLayout, oc, i, kh, kw));
                         }
                     return sum;
                   });
}

/// Positive elements: where sums cancel, units in the last place measure nothing.
void convolves(MLOperandDataType type, const Sizes& s, const MLConv2dOptions& o,
               bool bias = false) {
  Random random(s.channels * 31 + s.height + s.outputs);
  const std::uint32_t inputs = s.channels / o.groups;
  std::vector<Tensor> x{
      random.tensor(type, image_place(o.inputLayout, s.batch, s.channels, s.height, s.width), 0.1,
                    1),
      random.tensor(type,
                    in_layout(o.filterLayout, s.outputs, inputs, s.kernel_height, s.kernel_width),
                    0.1, 1)};
  if (bias) x.push_back(random.tensor(type, {s.outputs}, 0.1, 1));
  const Tensor y = convolved(x, s, o);
  const Tolerance tolerance =
      tolerance_of("conv2d", type, s.kernel_height * s.kernel_width * inputs);
  check({conv2d(o), x, {y}, tolerance});
  check({conv2d(o),
         x,
         {y},
         tolerance,
         bias ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{1}});
}

constexpr Filter filters[] = {Filter::oihw, Filter::hwio, Filter::ohwi, Filter::ihwo};

}  // namespace

TEST_CASE("conv2d: all layouts", "[conv2d]") {
  for (auto type : {float32, float16, bfloat16})
    for (Input input : {Input::nchw, Input::nhwc})
      for (Filter filter : filters)
        convolves(type, {2, 3, 6, 7, 5, 3, 2},
                  {.padding = {1, 0, 0, 1}, .inputLayout = input, .filterLayout = filter}, true);
}

TEST_CASE("conv2d: strides, dilations and paddings", "[conv2d]") {
  for (Input input : {Input::nchw, Input::nhwc})
    for (const Dims& strides : {Dims{1, 1}, Dims{2, 1}, Dims{3, 2}})
      for (const Dims& dilations : {Dims{1, 1}, Dims{2, 3}})
        for (const Dims& padding : {Dims{0, 0, 0, 0}, Dims{1, 2, 0, 3}, Dims{5, 5, 5, 5}})
          convolves(float32, {1, 4, 9, 11, 6, 3, 3},
                    {.padding = padding,
                     .strides = strides,
                     .dilations = dilations,
                     .inputLayout = input});
}

TEST_CASE("conv2d: groups, depthwise, and with a multiplier", "[conv2d]") {
  for (auto type : {float32, float16, bfloat16})
    for (Input input : {Input::nchw, Input::nhwc})
      for (Filter filter : filters) {
        const auto in_groups = [&](std::uint32_t groups) {
          return MLConv2dOptions{.padding = {1, 1, 1, 1},
                                 .groups = groups,
                                 .inputLayout = input,
                                 .filterLayout = filter};
        };
        convolves(type, {1, 6, 5, 6, 4, 3, 3}, in_groups(2), true);
        convolves(type, {2, 8, 5, 6, 8, 3, 3}, in_groups(8));
        convolves(type, {1, 4, 5, 6, 12, 3, 3}, in_groups(4), true);
      }
}

TEST_CASE("conv2d: pointwise, many channels, and a single pixel", "[conv2d]") {
  for (auto type : {float32, float16, bfloat16}) {
    convolves(type, {1, 70, 6, 7, 67, 1, 1}, {}, true);
    convolves(type, {1, 64, 4, 4, 130, 3, 3},
              {.inputLayout = Input::nhwc, .filterLayout = Filter::ohwi});
    convolves(type, {1, 20, 1, 1, 10, 1, 1}, {});
    convolves(type, {1, 3, 33, 35, 8, 3, 3}, {.padding = {1, 1, 1, 1}, .strides = {2, 2}}, true);
  }
}

TEST_CASE("conv2d: signed elements, exactly representable", "[conv2d]") {
  Random random(3);
  const Sizes s{1, 5, 8, 8, 6, 3, 3};
  std::vector<Tensor> x{random.tensor(float32, {1, 5, 8, 8}), random.tensor(float32, {6, 5, 3, 3})};
  for (Tensor& t : x)
    for (std::size_t i = 0; i < t.size(); ++i) t.set(i, std::round(t[i]));
  check({conv2d({}), x, {convolved(x, s, {})}});
}

TEST_CASE("conv2d: large paddings and dilations", "[conv2d]") {
  const MLConv2dOptions far{.padding = {1u << 30, 0, 0, 0}, .strides = {1u << 30, 1}};
  check({conv2d(far),
         {tensor(float32, {1, 1, 1, 1}, {3}), tensor(float32, {1, 1, 1, 1}, {2})},
         {tensor(float32, {1, 1, 2, 1}, {0, 6})}});
  const MLConv2dOptions apart{.padding = {0, 0xffffffff, 0, 0}, .dilations = {0xffffffff, 1}};
  check({conv2d(apart),
         {tensor(float32, {1, 1, 1, 1}, {3}), tensor(float32, {1, 1, 2, 1}, {2, 5})},
         {tensor(float32, {1, 1, 1, 1}, {6})}});
}

TEST_CASE("conv2d: nhwc as nchw between transposes", "[conv2d]") {
  Random random(4);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const MLOperand y = b.conv2d(b.transpose(x[0], {.permutation = {0, 3, 1, 2}}), x[1]);
    return b.transpose(y, {.permutation = {0, 2, 3, 1}});
  };
  check_same(
      conv2d({.inputLayout = Input::nhwc}), composed,
      {random.tensor(float32, {2, 6, 5, 3}, 0.1, 1), random.tensor(float32, {4, 3, 2, 2}, 0.1, 1)},
      tolerance_of("conv2d", float32, 12) + tolerance_of("conv2d", float32, 12));
}
