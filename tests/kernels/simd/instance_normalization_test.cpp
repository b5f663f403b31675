#include "tests/kernels/simd/activations.h"

namespace webnn::inline v0_1::test {
namespace {

constexpr auto nhwc = MLInputOperandLayout::nhwc, nchw = MLInputOperandLayout::nchw;

struct Case {
  std::uint32_t batch, height, width, channels;
  MLInputOperandLayout layout = nhwc;
  bool scale = true, bias = true, residual = false;
  float center = 0;  // the values are at most 1 away from it
  double epsilon = 1e-5;
};

/// The place of a pixel of a channel.
std::size_t place(const Case& c, std::size_t image, std::size_t pixel, std::size_t channel) {
  const std::size_t pixels = std::size_t{c.height} * c.width;
  return c.layout == nhwc ? (image * pixels + pixel) * c.channels + channel
                          : (image * c.channels + channel) * pixels + pixel;
}

void check(const Case& c, const ActivationCase& activation = activations()[0]) {
  INFO(c.batch << 'x' << c.height << 'x' << c.width << 'x' << c.channels << ' ' << name_of(c.layout)
               << ' ' << activation.name << " around " << c.center);
  ChainUnderTest t;
  const Dims shape = c.layout == nhwc ? Dims{c.batch, c.height, c.width, c.channels}
                                      : Dims{c.batch, c.channels, c.height, c.width};
  std::uniform_real_distribution<float> u(-1, 1);
  std::vector<float> values(element_count(shape));
  for (float& v : values) v = c.center + u(t.random);
  const MLOperand x = t.input(shape, values);
  MLInstanceNormalizationOptions o{.epsilon = c.epsilon, .layout = c.layout};
  if (c.scale) o.scale = t.input({c.channels});
  if (c.bias) o.bias = t.constant({c.channels});
  MLOperand y = t.b.instanceNormalization(x, o), added;
  if (c.residual) y = t.b.add(y, added = t.input(shape));
  const auto actual = t.run(activation.append(t.b, y));
  const std::size_t pixels = std::size_t{c.height} * c.width;
  for (std::size_t image = 0; image < c.batch; ++image)
    for (std::size_t channel = 0; channel < c.channels; ++channel) {
      double mean = 0, variance = 0;
      for (std::size_t i = 0; i < pixels; ++i)
        mean += values[place(c, image, i, channel)] / static_cast<double>(pixels);
      for (std::size_t i = 0; i < pixels; ++i)
        variance +=
            std::pow(values[place(c, image, i, channel)] - mean, 2) / static_cast<double>(pixels);
      const double factor = (c.scale ? t.values(*o.scale)[channel] : 1) /
                            std::sqrt(variance + double{static_cast<float>(c.epsilon)});
      for (std::size_t i = 0; i < pixels; ++i) {
        const std::size_t at = place(c, image, i, channel);
        Sum sum;
        sum.add(values[at] - mean, factor);
        if (c.bias) sum.add(t.values(*o.bias)[channel]);
        if (c.residual) sum.add(t.values(added)[at]);
        check_near(actual[at], sum, activation.value, activation.slope);
      }
    }
}

}  // namespace

TEST_CASE("simd instanceNormalization: sizes and layouts") {
  for_targets([] {
    for (auto layout : {nhwc, nchw}) {
      check({1, 1, 1, 1, layout});
      check({1, 5, 7, 3, layout});
      check({2, 9, 4, 16, layout, false});
      check({3, 8, 8, 37, layout, true, false});
      check({1, 13, 17, 64, layout, false, false});
      check({2, 3, 1, 130, layout, true, true, true});
      check({1, 100, 90, 20, layout, true, true, true});
      check({1, 1, 2, 5000, layout});
    }
  });
}

TEST_CASE("simd instanceNormalization: a mean far from zero") {
  for_targets([] {
    for (auto layout : {nhwc, nchw})
      for (float center : {1e2f, 1e4f, -1e6f})
        check({2, 30, 40, 19, layout, true, true, false, center});
  });
}

TEST_CASE("simd instanceNormalization: activations") {
  for_targets([] {
    for (const ActivationCase& a : activations())
      for (auto layout : {nhwc, nchw})
        for (bool residual : {false, true}) check({2, 6, 7, 21, layout, true, true, residual}, a);
  });
}

TEST_CASE("simd instanceNormalization: equal elements give the bias") {
  for_targets([] {
    for (auto layout : {nhwc, nchw}) {
      ChainUnderTest t;
      const Dims shape = layout == nhwc ? Dims{1, 7, 5, 3} : Dims{1, 3, 7, 5};
      const MLOperand x = t.input(shape, std::vector<float>(105, 0.1f));
      const MLOperand bias = t.constant({3});
      const auto y = t.run(t.b.instanceNormalization(x, {.bias = bias, .layout = layout}));
      for (std::size_t i = 0; i < y.size(); ++i)
        CHECK(y[i] == t.values(bias)[layout == nhwc ? i % 3 : i / 35]);
    }
  });
}

TEST_CASE("simd instanceNormalization: NaN and infinity stay in their channel") {
  for_targets([] {
    for (float special : {std::nanf(""), INFINITY, -INFINITY})
      for (std::size_t at : {std::size_t{0}, std::size_t{11}}) {
        ChainUnderTest t;
        std::vector<float> values(40);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 7);
        values[at] = special;
        const auto y =
            t.run(t.b.instanceNormalization(t.input({1, 5, 4, 2}, values), {.layout = nhwc}));
        for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::isnan(y[i]) == (i % 2 == at % 2));
      }
  });
}

}  // namespace webnn::inline v0_1::test
