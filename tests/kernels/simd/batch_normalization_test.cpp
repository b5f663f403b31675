#include "tests/kernels/simd/activations.h"

namespace webnn::test {
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

}  // namespace webnn::test
