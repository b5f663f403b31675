#include "src/kernels/simd/backend.h"
#include "tests/kernels/simd/conv2d_case.h"
#include "tests/support/random.h"

namespace webnn::inline v0_1::test {
namespace {

void check(const ConvCase& c, bool residual = false,
           const ActivationCase& activation = activations()[0]) {
  INFO(c << (residual ? ", residual, " : ", ") << activation.name);
  // winograd_test.cpp has the other method.
  ChainUnderTest t(simd::make_backend({.winograd = simd::Winograd3x3::off}));
  const MLOperand x = t.input({c.size.batch, c.size.height, c.size.width, c.size.channels});
  std::vector<MLOperand> weights;
  const MLOperand conv = append(t, c, x, weights);
  MLOperand y = conv, added;
  if (residual) {
    added = t.input(conv.shape());
    y = t.b.add(added, y);
  }
  y = activation.append(t.b, y);
  const std::vector<float> actual = t.run(y);
  CHECK_THAT(t.kernel, Catch::Matchers::StartsWith(c.kernel));
  std::vector<Sum> sums = expected(t, c, t.values(x), weights, conv.shape());
  REQUIRE(actual.size() == sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (residual) sums[i].add(t.values(added)[i]);
    check_near(actual[i], sums[i], activation.value, activation.slope);
  }
}

const std::vector<ConvCase> cases{
    // 1x1
    {.size = {1, 1, 1, 1, 1, 1, 1}, .kernel = "gemv"},
    {.size = {1, 1, 1, 37, 50, 1, 1}, .kernel = "gemv"},
    {.size = {1, 3, 5, 7, 19, 1, 1}, .bias = false, .kernel = "gemm columns"},
    {.size = {1, 7, 7, 33, 40, 1, 1}, .kernel = "gemm columns"},
    {.size = {2, 13, 11, 24, 24, 1, 1}, .kernel = "gemm rows"},
    {.size = {1, 20, 17, 16, 70, 1, 1}, .kernel = "gemm rows"},
    {.size = {1, 20, 17, 16, 8, 1, 1}, .kernel = "gemm"},
    {.size = {1, 9, 8, 20, 7, 1, 1}, .strides = {2, 2}, .kernel = "conv"},
    {.size = {1, 9, 8, 20, 7, 1, 1}, .padding = {1, 0, 2, 1}, .kernel = "conv"},
    // One product, of every other pixel.
    {.size = {2, 25, 27, 64, 80, 1, 1}, .strides = {2, 2}, .kernel = "dense"},
    {.size = {1, 6, 7, 35, 70, 1, 1},
     .padding = {1, 0, 2, 1},
     .strides = {1, 3},
     .kernel = "dense"},
    // k x k
    {.size = {1, 9, 9, 3, 32, 3, 3}, .padding = {1, 1, 1, 1}, .strides = {2, 2}, .kernel = "conv"},
    {.size = {1, 6, 30, 5, 33, 3, 3}, .kernel = "conv"},
    {.size = {2, 7, 7, 16, 20, 3, 3}, .padding = {1, 1, 1, 1}, .bias = false, .kernel = "conv"},
    {.size = {1, 5, 64, 4, 17, 1, 7}, .padding = {0, 0, 3, 3}, .kernel = "conv"},
    {.size = {1, 12, 5, 4, 17, 5, 1}, .padding = {4, 3, 0, 0}, .strides = {3, 1}, .kernel = "conv"},
    {.size = {1, 14, 15, 6, 9, 3, 2},
     .padding = {0, 1, 1, 0},
     .dilations = {2, 3},
     .kernel = "conv"},
    {.size = {1, 11, 13, 3, 8, 2, 3},
     .padding = {5, 6, 7, 8},
     .strides = {2, 3},
     .dilations = {3, 2},
     .kernel = "conv"},
    {.size = {1, 1, 1, 2, 3, 3, 3}, .padding = {1, 1, 1, 1}, .kernel = "conv"},
    {.size = {3, 1, 2, 1, 1, 2, 2}, .padding = {2, 3, 3, 2}, .kernel = "conv"},
    // groups
    {.size = {1, 8, 20, 8, 12, 3, 3},
     .padding = {1, 1, 1, 1},
     .groups = 2,
     .kernel = "grouped conv"},
    {.size = {2, 5, 6, 36, 18, 1, 1}, .groups = 2, .kernel = "grouped conv"},
    {.size = {1, 6, 6, 6, 12, 3, 3},
     .padding = {1, 0, 0, 1},
     .groups = 6,
     .kernel = "grouped conv"},
    {.size = {1, 6, 7, 12, 72, 2, 3}, .strides = {1, 2}, .groups = 3, .kernel = "grouped conv"},
    // depthwise
    {.size = {1, 9, 10, 32, 32, 3, 3},
     .padding = {1, 1, 1, 1},
     .groups = 32,
     .kernel = "depthwise 3x3"},
    {.size = {2, 8, 7, 24, 24, 3, 3},
     .padding = {1, 1, 1, 1},
     .strides = {2, 2},
     .groups = 24,
     .kernel = "depthwise 3x3"},
    {.size = {1, 6, 6, 3, 3, 3, 3},
     .padding = {1, 1, 1, 1},
     .groups = 3,
     .bias = false,
     .kernel = "depthwise 3x3"},
    {.size = {1, 8, 8, 17, 17, 3, 3},
     .padding = {0, 1, 0, 1},
     .strides = {2, 2},
     .groups = 17,
     .kernel = "depthwise 3x3"},
    {.size = {1, 5, 6, 20, 20, 3, 3}, .groups = 20, .kernel = "depthwise 3x3"},
    {.size = {1, 1, 1, 16, 16, 3, 3},
     .padding = {1, 1, 1, 1},
     .groups = 16,
     .kernel = "depthwise 3x3"},
    {.size = {1, 3, 300, 40, 40, 3, 3},
     .padding = {1, 1, 1, 1},
     .groups = 40,
     .kernel = "depthwise 3x3"},
    {.size = {1, 7, 6, 8, 8, 3, 3},
     .padding = {5, 4, 1, 1},
     .groups = 8,
     .kernel = "depthwise 3x3"},
    {.size = {1, 7, 6, 8, 8, 3, 3},
     .padding = {2, 2, 2, 2},
     .groups = 8,
     .kernel = "depthwise 3x3"},
    {.size = {1, 7, 6, 8, 8, 3, 3},
     .padding = {1, 1, 1, 1},
     .strides = {2, 1},
     .groups = 8,
     .kernel = "depthwise 3x3"},
    {.size = {1, 14, 14, 40, 40, 5, 5},
     .padding = {2, 2, 2, 2},
     .groups = 40,
     .kernel = "depthwise 5x5"},
    {.size = {2, 13, 11, 7, 7, 5, 5},
     .padding = {1, 2, 1, 2},
     .strides = {2, 2},
     .groups = 7,
     .kernel = "depthwise 5x5"},
    {.size = {1, 12, 9, 19, 19, 3, 3},
     .padding = {2, 2, 2, 2},
     .dilations = {2, 2},
     .groups = 19,
     .kernel = "depthwise 3x3"},
    {.size = {1, 4, 3, 5, 5, 7, 9},
     .padding = {3, 3, 8, 8},
     .dilations = {1, 2},
     .groups = 5,
     .kernel = "depthwise"},
    {.size = {1, 2, 40, 33, 33, 1, 4},
     .padding = {0, 0, 9, 0},
     .strides = {1, 3},
     .groups = 33,
     .kernel = "depthwise"},
    {.size = {1, 3, 50, 20, 20, 1, 31},
     .padding = {0, 0, 15, 15},
     .groups = 20,
     .kernel = "depthwise"},
    {.size = {1, 9, 8, 33, 33, 7, 7},
     .padding = {3, 3, 3, 3},
     .groups = 33,
     .kernel = "depthwise 7x7"},
};

}  // namespace

TEST_CASE("conv2d: all forms") {
  for_targets([] {
    for (const ConvCase& c : cases) check(c);
  });
}

TEST_CASE("conv2d: residual and activation") {
  for_targets([] {
    for (const ActivationCase& a : activations())
      for (const ConvCase& c : {cases[1], cases[3], cases[4], cases[9], cases[11], cases[18],
                                cases[23], cases[24], cases[32]}) {
        check(c, false, a);
        check(c, true, a);
      }
  });
}

TEST_CASE("conv2d: few output channels") {
  const std::vector<ConvCase> narrow{
      {.size = {1, 9, 10, 64, 3, 3, 3}, .padding = {1, 1, 1, 1}, .kernel = "narrow conv"},
      {.size = {2, 5, 23, 70, 1, 1, 3}, .padding = {0, 0, 1, 1}, .kernel = "narrow conv"},
      {.size = {1, 8, 7, 66, 2, 3, 2},
       .strides = {2, 1},
       .dilations = {1, 2},
       .bias = false,
       .kernel = "narrow conv"},
      {.size = {1, 6, 6, 128, 4, 3, 3}, .groups = 2, .kernel = "narrow grouped conv"},
      {.size = {1, 11, 13, 130, 2, 1, 1}, .kernel = "gemm narrow"},
      {.size = {1, 1, 1, 400, 2, 1, 1}, .kernel = "gemm narrow"}};
  for_targets([&] {
    for (const ConvCase& c : narrow)
      for (const ActivationCase& a : activations()) {
        check(c, false, a);
        check(c, true, a);
      }
  });
}

TEST_CASE("conv2d: small depthwise filters") {
  Random random(11);
  for_targets([&] {
    for (int i = 0; i < 100; ++i) {
      constexpr std::uint32_t widths[] = {1, 2, 3, 5, 7};
      const std::uint32_t channels = random.integer(1, 40), width = widths[random.integer(0, 4)];
      const std::uint32_t stride = random.integer(1, 2),
                          dilation = stride == 1 ? random.integer(1, 4) : 1;
      ConvCase c{
          {1, random.integer(1, 9), random.integer(2, 20), channels, channels,
           random.integer(0, 1) ? width : random.integer(1, 7), width},
          {random.integer(0, 5), random.integer(0, 5), random.integer(0, 9), random.integer(0, 9)},
          {random.integer(1, 2), stride},
          {random.integer(1, 3), dilation}};
      c.groups = channels;
      c.size.height += c.dilations[0] * (c.size.kernel_h - 1);
      if (random.integer(0, 1))
        c.size.width += dilation * (width - 1);  // else windows can be wider
      else c.padding[2] = c.padding[3] = dilation * (width - 1);
      if (channels > 1) c.kernel = "depthwise";
      if (channels > 1 && width > 2) c.kernel += " " + std::to_string(c.size.kernel_h) + "x";
      check(c);
    }
  });
}

TEST_CASE("conv2d: small groups") {
  Random random(13);
  for_targets([&] {
    for (int i = 0; i < 80; ++i) {
      const std::uint32_t group = 1U << random.integer(1, 3), groups = random.integer(2, 9),
                          dilation = random.integer(1, 2),
                          width = random.integer(0, 1) ? 3 : random.integer(1, 9),
                          apart = random.integer(0, 2) ? 1 : random.integer(1, 3);
      ConvCase c{
          {random.integer(1, 2), random.integer(1, 20), random.integer(1, 34), group * groups,
           group * groups, random.integer(1, 7), width},
          {random.integer(0, 4), random.integer(0, 4), random.integer(0, 3), random.integer(0, 3)},
          {random.integer(1, 3), random.integer(1, 2)},
          {dilation, apart}};
      c.groups = groups;
      c.size.height += dilation * (c.size.kernel_h - 1);
      const std::uint32_t wide = apart * (width - 1) + 1, all = c.size.width + c.padding[3];
      if (all + c.padding[2] < wide) c.padding[2] = wide - all;
      c.bias = random.integer(0, 3);
      c.kernel = "grouped " + std::to_string(group);
      check(c, random.integer(0, 1),
            activations()[random.integer(0, static_cast<std::uint32_t>(activations().size()) - 1)]);
    }
  });
}

TEST_CASE("conv2d: several rows of the result read one copy of the image's rows") {
  Random random(17);
  for_targets([&] {
    for (int i = 0; i < 40; ++i) {
      ConvCase c{
          {random.integer(1, 2), random.integer(17, 80), random.integer(1, 20),
           random.integer(1, 9), random.integer(16, 40), random.integer(1, 6),
           random.integer(1, 5)},
          {random.integer(0, 5), random.integer(0, 5), random.integer(1, 3), random.integer(0, 3)},
          {random.integer(1, 3), random.integer(1, 3)},
          {random.integer(1, 3), 1}};
      if (c.size.kernel_h * c.size.kernel_w == 1) c.size.kernel_h = 2;  // 1x1 has other kernels
      c.size.width += c.size.kernel_w;
      c.kernel = "conv";
      check(c, random.integer(0, 1),
            activations()[random.integer(0, static_cast<std::uint32_t>(activations().size()) - 1)]);
    }
  });
}

TEST_CASE("conv2d: an image of one column") {
  const std::vector<ConvCase> columns{
      {.size = {1, 60, 1, 40, 50, 5, 1}, .padding = {2, 2, 0, 0}},
      {.size = {2, 33, 1, 7, 20, 3, 1}, .padding = {1, 0, 0, 0}, .strides = {2, 5}},
      {.size = {1, 40, 1, 128, 64, 5, 1}, .padding = {4, 3, 0, 0}, .dilations = {2, 3}},
      {.size = {1, 50, 1, 24, 24, 9, 1}, .padding = {4, 4, 0, 0}, .groups = 24},
      {.size = {1, 50, 1, 32, 32, 3, 1}, .padding = {1, 1, 0, 0}, .groups = 8},
      {.size = {1, 31, 1, 12, 20, 1, 1}, .strides = {3, 1}},
      {.size = {1, 20, 1, 6, 16, 3, 3}, .padding = {1, 1, 1, 1}}};
  for_targets([&] {
    for (const ConvCase& c : columns) {
      check(c);
      check(c, true, activations().back());
    }
  });
}

TEST_CASE("conv2d: another backend is asked where a filter lies on padding") {
  const auto reason = [](const ConvCase& c) {
    ChainUnderTest t(simd::make_backend({.winograd = simd::Winograd3x3::off}));
    std::vector<MLOperand> weights;
    const MLOperand x = t.input({c.size.batch, c.size.height, c.size.width, c.size.channels});
    const MLOperand y = append(t, c, x, weights);
    return std::get<Candidate>(t.lower(y)).fallback_reason;
  };
  const std::string padding = "likely slower: it multiplies the padding, too";
  CHECK(reason({.size = {1, 56, 56, 64, 64, 1, 3}, .padding = {0, 0, 1, 1}}) == "");
  CHECK(reason({.size = {1, 7, 7, 512, 512, 1, 3}, .padding = {0, 0, 1, 1}}) == padding);
  CHECK(reason({.size = {1, 1, 32, 32, 32, 1, 3}, .padding = {0, 0, 1, 1}}) == "");
  CHECK(reason({.size = {1, 14, 14, 256, 256, 5, 5}, .padding = {2, 2, 2, 2}}) == padding);
  CHECK(reason({.size = {1, 14, 14, 3, 32, 5, 5}, .padding = {2, 2, 2, 2}}) == "");
  CHECK(reason({.size = {1, 7, 7, 512, 3, 3, 3}, .padding = {1, 1, 1, 1}}) == padding);
  CHECK(reason({.size = {1, 1, 512, 512, 64, 1, 3}, .strides = {1, 2}}) ==
        "likely slower: pixels evict each other from the first cache");
  CHECK(reason({.size = {1, 1, 512, 500, 64, 1, 3}, .strides = {1, 2}}) == "");
  CHECK(reason({.size = {1, 7, 7, 512, 512, 5, 5}, .padding = {2, 2, 2, 2}, .strides = {2, 2}}) ==
        "");
  CHECK(reason({.size = {1, 1, 32, 16, 16, 1, 3}, .dilations = {1, 4}}) == "");
  CHECK(reason({.size = {1, 28, 28, 16, 16, 3, 3}, .dilations = {2, 2}}) ==
        "likely slower: it gathers dilated windows");
}

TEST_CASE("conv2d: random shapes") {
  Random random(7);
  for_targets([&] {
    for (int i = 0; i < 60; ++i) {
      const std::uint32_t groups = random.integer(0, 3) ? 1 : random.integer(1, 4),
                          depthwise = random.integer(0, 2) == 0;
      ConvCase c{
          {random.integer(1, 2), random.integer(1, 12), random.integer(1, 40), 0, 0,
           random.integer(1, 5), random.integer(1, 5)},
          {random.integer(0, 3), random.integer(0, 3), random.integer(0, 3), random.integer(0, 3)},
          {random.integer(1, 3), random.integer(1, 3)},
          {random.integer(1, 2), random.integer(1, 2)}};
      c.size.channels = c.size.outputs = c.groups = random.integer(2, 50);
      if (!depthwise) {
        c.groups = groups;
        c.size.channels = groups * random.integer(1, 20);
        c.size.outputs = groups * random.integer(1, 40);
      }
      if (c.size.height + c.padding[0] + c.padding[1] <= (c.size.kernel_h - 1) * c.dilations[0] ||
          c.size.width + c.padding[2] + c.padding[3] <= (c.size.kernel_w - 1) * c.dilations[1])
        continue;
      check(c, random.integer(0, 1), activations()[random.integer(0, 2)]);
    }
  });
}

TEST_CASE("conv2d: every filter layout") {
  using enum MLConv2dFilterOperandLayout;
  for (const auto layout : {oihw, hwio, ohwi, ihwo}) {
    ChainUnderTest t;
    const Dims shape = layout == oihw   ? Dims{5, 2, 3, 4}
                       : layout == hwio ? Dims{3, 4, 2, 5}
                       : layout == ohwi ? Dims{5, 3, 4, 2}
                                        : Dims{2, 3, 4, 5};
    const MLOperand x = t.input({1, 6, 7, 2}), w = t.constant(shape);
    const auto y = t.run(
        t.b.conv2d(x, w, {.inputLayout = MLInputOperandLayout::nhwc, .filterLayout = layout}));
    const std::vector<float>& from = t.values(w);
    std::vector<float> ohwi_values;
    for (std::size_t o = 0; o < 5; ++o)
      for (std::size_t h = 0; h < 3; ++h)
        for (std::size_t v = 0; v < 4; ++v)
          for (std::size_t i = 0; i < 2; ++i)
            ohwi_values.push_back(from[layout == oihw   ? ((o * 2 + i) * 3 + h) * 4 + v
                                       : layout == hwio ? ((h * 4 + v) * 2 + i) * 5 + o
                                       : layout == ohwi ? ((o * 3 + h) * 4 + v) * 2 + i
                                                        : ((i * 3 + h) * 4 + v) * 5 + o]);
    const auto sums =
        convolve({{1, 6, 7, 2, 5, 3, 4}}, t.values(x), ohwi_values, nullptr, {1, 4, 4, 5});
    for (std::size_t i = 0; i < sums.size(); ++i) check_near(y[i], sums[i]);
  }
}

TEST_CASE("conv2d: NaN passes through a clamp") {
  for_targets([] {
    ChainUnderTest t;
    const MLOperand x = t.input({1, 1, 2, 1}, {std::nanf(""), 1});
    const auto y = t.run(t.b.clamp(
        t.b.conv2d(x, t.constant({1, 1, 1, 1}), {.inputLayout = MLInputOperandLayout::nhwc}),
        {.minValue = -9, .maxValue = 9}));
    CHECK(std::isnan(y[0]));
    CHECK(!std::isnan(y[1]));
  });
}

TEST_CASE("conv2d: refusals have reasons") {
  const auto reason = [](ChainUnderTest& t, const MLOperand& y) {
    const auto lowering = t.lower(y);
    REQUIRE(std::holds_alternative<Refusal>(lowering));
    return std::get<Refusal>(lowering).reason;
  };
  ChainUnderTest t;
  const MLOperand x = t.input({1, 4, 4, 2}), w = t.constant({2, 2, 1, 1});
  CHECK(reason(t, t.b.conv2d(t.input({1, 2, 4, 4}), w)) == "only nhwc");
  MLConv2dOptions nhwc{.inputLayout = MLInputOperandLayout::nhwc};
  CHECK(reason(t, t.b.conv2d(x, t.input({2, 2, 1, 1}), nhwc)) == "the filter is not constant");
  CHECK(reason(t, t.b.conv2d(t.b.conv2d(x, w, nhwc), w, nhwc)) ==
        "only a 1x1 convolution can follow, after a depthwise one");
  MLConv2dOptions wide = nhwc;
  wide.padding = {0, 0, 30000000, 0};
  CHECK(reason(t, t.b.conv2d(x, w, wide)) == "a size is above 2^24");
  wide.padding = {0, 0, 9000000, 0};
  wide.strides = {1, 1000};
  wide.dilations = {1, 9000000};
  const MLOperand two = t.constant({1, 2, 1, 2});
  CHECK(std::holds_alternative<Candidate>(t.lower(t.b.conv2d(x, two, wide))));
}

}  // namespace webnn::inline v0_1::test
