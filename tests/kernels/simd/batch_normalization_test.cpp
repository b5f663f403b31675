#include "tests/kernels/simd/activations.h"

namespace webnn::inline v0_1::test {
namespace {

struct Case {
  Dims shape;
  std::uint32_t axis;
  bool scale = true, bias = true, residual = false;
  double center = 0;  // the elements and the means are at most 1 away from it
};

struct Operands {
  MLOperand x, mean, variance;
  MLBatchNormalizationOptions options;
  MLOperand y;
};
Operands normalized(ChainUnderTest& t, const Case& c) {
  std::uniform_real_distribution<float> u(-1, 1);
  const auto around = [&](std::size_t n) {
    std::vector<float> v(n);
    for (float& x : v) x = static_cast<float>(c.center) + u(t.random);
    return v;
  };
  const std::uint32_t channels = c.shape[c.axis];
  std::vector<float> positive(channels);
  for (std::size_t i = 0; i < channels; ++i) positive[i] = 0.5f + 0.25f * static_cast<float>(i % 7);
  Operands o{.x = t.input(c.shape, around(element_count(c.shape))),
             .mean = t.input({channels}, around(channels)),
             .variance = t.input({channels}, positive),
             .options = {.axis = c.axis}};
  if (c.scale) o.options.scale = t.input({channels});
  if (c.bias) o.options.bias = t.constant({channels});
  o.y = t.b.batchNormalization(o.x, o.mean, o.variance, o.options);
  return o;
}

/// f(element, the terms of its value in double) for all elements of x.
template <class F>
void for_expected(const ChainUnderTest& t, const Case& c, const Operands& o, F f) {
  const std::size_t channels = c.shape[c.axis];
  std::size_t inner = 1;
  for (std::size_t d = c.axis + 1; d < c.shape.size(); ++d) inner *= c.shape[d];
  for (std::size_t i = 0; i < t.values(o.x).size(); ++i) {
    const std::size_t k = i / inner % channels;
    const double factor = (c.scale ? double{t.values(*o.options.scale)[k]} : 1) /
                          std::sqrt(double{t.values(o.variance)[k]} + double{1e-5f});
    Sum sum;
    sum.add(double{t.values(o.x)[i]} - t.values(o.mean)[k], factor);
    if (c.bias) sum.add(t.values(*o.options.bias)[k]);
    f(i, sum, std::abs(t.values(o.mean)[k] * factor));
  }
}

/// However much of the product the bias cancels. A mean far from zero may leave 2^-46 of itself and
/// another ULP.
void check(const Case& c) {
  INFO("axis " << c.axis << " around " << c.center);
  ChainUnderTest t;
  const Operands o = normalized(t, c);
  const auto y = t.run(o.y);
  for_expected(t, c, o, [&](std::size_t i, const Sum& e, double mean) {
    if (std::abs(y[i] - e.value) > 0x1p-46 * mean) check_ulp(y[i], e.value, c.center == 0 ? 1 : 2);
  });
}

void check(const Case& c, const ActivationCase& activation) {
  INFO("axis " << c.axis << ' ' << activation.name);
  ChainUnderTest t;
  const Operands o = normalized(t, c);
  MLOperand y = o.y, added;
  if (c.residual) y = t.b.add(y, added = t.input(c.shape));
  const auto actual = t.run(activation.append(t.b, y));
  for_expected(t, c, o, [&](std::size_t i, Sum sum, double) {
    if (c.residual) sum.add(t.values(added)[i]);
    check_near(actual[i], sum, activation.value, activation.slope);
  });
}

}  // namespace

TEST_CASE("simd batchNormalization: shapes and axes") {
  for_targets([] {
    for (bool scale : {false, true})
      for (bool bias : {false, true}) {
        check({{2, 5, 9, 11}, 1, scale, bias});
        check({{2, 9, 11, 37}, 3, scale, bias});
        check({{40, 50, 30}, 2, scale, bias});
        check({{3, 40}, 0, scale, bias});
        check({{1, 30, 30, 256}, 3, scale, bias});
      }
  });
}

TEST_CASE("simd batchNormalization: means far from zero") {
  for_targets([] {
    for (double center : {1e2, -1e4, 1e6}) {
      check({{2, 7, 9, 11}, 1, true, true, false, center});
      check({{2, 9, 11, 37}, 3, true, true, false, center});
    }
  });
}

/// As the specification's composition, which subtracts first.
TEST_CASE("simd batchNormalization: elements that are the mean become the bias") {
  for_targets([] {
    for (const bool nhwc : {false, true})
      for (const bool bias : {false, true}) {
        ChainUnderTest t;
        const std::uint32_t channels = 35;
        const Dims shape = nhwc ? Dims{1, 3, 7, channels} : Dims{1, channels, 3, 7};
        std::vector<float> means(channels), variances(channels), x(21 * channels);
        for (std::uint32_t c = 0; c < channels; ++c) {
          means[c] = std::ldexp(1.f + 0.37f * static_cast<float>(c), static_cast<int>(c) - 12);
          if (c % 2) means[c] = -means[c];
          variances[c] = 1 + static_cast<float>(c % 5);
        }
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = means[nhwc ? i % channels : i / 21];
        MLBatchNormalizationOptions options{.axis = nhwc ? 3u : 1u};
        options.scale = t.input({channels});
        if (bias) options.bias = t.input({channels});
        const auto y = t.run(t.b.batchNormalization(t.input(shape, x), t.input({channels}, means),
                                                    t.input({channels}, variances), options));
        for (std::size_t i = 0; i < y.size(); ++i)
          CHECK(y[i] == (bias ? t.values(*options.bias)[nhwc ? i % channels : i / 21] : 0));
      }
  });
}

TEST_CASE("simd batchNormalization: activations and a residual") {
  for_targets([] {
    for (const ActivationCase& a : activations())
      for (bool residual : {false, true}) {
        check({{2, 5, 6, 7}, 1, true, true, residual}, a);
        check({{2, 6, 7, 21}, 3, true, true, residual}, a);
      }
  });
}

TEST_CASE("simd batchNormalization: infinite elements, means and factors") {
  for_targets([] {
    for (std::uint32_t axis : {1u, 2u}) {
      ChainUnderTest t;
      // Channels: ordinary; a variance of 0 without epsilon; an infinite mean.
      const std::vector<float> elements{1, INFINITY, -INFINITY, 2, 3, -INFINITY, 4, 5, 6};
      std::vector<float> x = elements;  // [channel][pixel]
      if (axis == 2)
        for (std::size_t i = 0; i < 9; ++i) x[i] = elements[i % 3 * 3 + i / 3];
      const auto y = t.run(t.b.batchNormalization(
          t.input({1, 3, 3}, x), t.input({3}, std::vector<float>{0.5f, 2.5f, INFINITY}),
          t.input({3}, std::vector<float>{3, 0, 1}), {.axis = axis, .epsilon = 0}));
      const auto at = [&](std::size_t channel, std::size_t pixel) {
        return y[axis == 1 ? channel * 3 + pixel : pixel * 3 + channel];
      };
      CHECK(std::abs(at(0, 0) - 0.5 / std::sqrt(3.0)) < 1e-7);
      CHECK(at(0, 1) == INFINITY);
      CHECK(at(0, 2) == -INFINITY);
      CHECK(at(1, 0) == -INFINITY);
      CHECK(at(1, 1) == INFINITY);
      CHECK(at(1, 2) == -INFINITY);
      for (std::size_t i : {0u, 1u, 2u}) CHECK(at(2, i) == -INFINITY);
    }
  });
}

TEST_CASE("simd batchNormalization: into the rows of the 1x1 convolution that reads it") {
  struct Network {
    Dims shape;
    std::uint32_t outputs;
    bool bias, activation, residual;
  };
  for_targets([] {
    for (const Network& n : {Network{{1, 7, 9, 37}, 70, true, true, false},
                             Network{{2, 5, 6, 21}, 64, false, false, true},
                             Network{{1, 4, 5, 1100}, 131, true, true, true},
                             Network{{1, 14, 14, 96}, 40, true, true, false}}) {
      ChainUnderTest t;
      const std::uint32_t channels = n.shape[3];
      std::vector<float> variances(channels);
      for (std::size_t i = 0; i < channels; ++i) variances[i] = 0.5f + 0.25f * (i % 7);
      const MLOperand x = t.input(n.shape), mean = t.constant({channels}),
                      scale = t.constant({channels}), shift = t.constant({channels});
      const MLOperand filter = t.constant({n.outputs, 1, 1, channels});
      MLOperand y = t.b.batchNormalization(
          x, mean, t.b.constant({float32, {channels}}, std::span<const float>(variances)),
          {.scale = scale, .bias = shift, .axis = 3});
      if (n.activation) y = t.b.relu(y);
      MLConv2dOptions options{.inputLayout = MLInputOperandLayout::nhwc,
                              .filterLayout = MLConv2dFilterOperandLayout::ohwi};
      if (n.bias) options.bias = t.constant({n.outputs});
      y = t.b.conv2d(y, filter, options);
      MLOperand added;
      if (n.residual) y = t.b.add(y, added = t.input(y.shape()));
      const auto actual = t.run(y);
      INFO(channels << " channels, " << t.kernel);
      CHECK(t.kernel.starts_with(n.activation ? "batch normalization+clamp, dense"
                                              : "batch normalization, dense"));
      for (std::size_t i = 0; i < actual.size(); ++i) {
        const std::size_t pixel = i / n.outputs, o = i % n.outputs;
        Sum sum;
        for (std::size_t k = 0; k < channels; ++k) {
          double v = (double{t.values(x)[pixel * channels + k]} - t.values(mean)[k]) *
                         t.values(scale)[k] / std::sqrt(double{variances[k]} + double{1e-5f}) +
                     t.values(shift)[k];
          if (n.activation && v < 0) v = 0;
          sum.add(v, t.values(filter)[o * channels + k]);
        }
        if (n.bias) sum.add(t.values(*options.bias)[o]);
        if (n.residual) sum.add(t.values(added)[i]);
        check_near(actual[i], sum);
      }
    }
  });
}

TEST_CASE("simd batchNormalization: what is not computed with the convolution that follows") {
  ChainUnderTest t;
  const auto following = [&](const MLOperand& mean, std::vector<float> variances, Dims filter) {
    const MLOperand x = t.input({1, 4, 4, 3});
    const MLOperand y = t.b.batchNormalization(
        x, mean, t.b.constant({float32, {3}}, std::span<const float>(variances)),
        {.axis = 3, .epsilon = 0});
    const Lowering l = t.lower(t.b.conv2d(y, t.constant(std::move(filter)),
                                          {.inputLayout = MLInputOperandLayout::nhwc,
                                           .filterLayout = MLConv2dFilterOperandLayout::ohwi}));
    const auto* refusal = std::get_if<Refusal>(&l);
    return refusal ? refusal->reason : "";
  };
  const MLOperand mean = t.constant({3});
  CHECK(following(mean, {1, 2, 3}, {64, 1, 1, 3}).empty());
  CHECK(following(mean, {1, 0, 3}, {64, 1, 1, 3}).empty());
  CHECK(following(mean, {1, 2, 3}, {64, 3, 3, 3}) == "not a 1x1 convolution");
  CHECK(following(mean, {1, 2, 3}, {4, 1, 1, 3}) == "too few channels");
  CHECK(following(t.input({3}), {1, 2, 3}, {64, 1, 1, 3}) ==
        "a parameter of the normalization is not constant");
}

}  // namespace webnn::inline v0_1::test
