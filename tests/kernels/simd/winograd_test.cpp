#include "src/kernels/simd/backend.h"
#include "tests/kernels/simd/activations.h"

namespace webnn::inline v0_1::test {
namespace {

using simd::Winograd3x3;

struct Conv {
  std::uint32_t batch, height, width, channels, outputs;
  Dims padding{1, 1, 1, 1};
  bool bias = true;
};

std::ostream& operator<<(std::ostream& s, const Conv& c) {
  s << c.batch << 'x' << c.height << 'x' << c.width << 'x' << c.channels << " -> " << c.outputs
    << ", padding";
  for (auto v : c.padding) s << ' ' << v;
  return s;
}

/// The convolution in double precision, [n][h][w][o], with an ohwi filter.
std::vector<Sum> convolve(const Conv& c, const std::vector<float>& x, const std::vector<float>& w,
                          const std::vector<float>* bias, const Dims& out) {
  std::vector<Sum> y;
  for (std::uint32_t n = 0; n < out[0]; ++n)
    for (std::uint32_t oy = 0; oy < out[1]; ++oy)
      for (std::uint32_t ox = 0; ox < out[2]; ++ox)
        for (std::uint32_t o = 0; o < out[3]; ++o) {
          Sum sum;
          if (bias) sum.add((*bias)[o]);
          for (std::uint32_t t = 0; t < 9; ++t) {
            const std::int64_t iy = std::int64_t{oy} + t / 3 - c.padding[0],
                               ix = std::int64_t{ox} + t % 3 - c.padding[2];
            if (iy < 0 || iy >= c.height || ix < 0 || ix >= c.width) continue;
            const auto at = static_cast<std::size_t>((n * c.height + iy) * c.width + ix);
            for (std::uint32_t i = 0; i < c.channels; ++i)
              sum.add(x[at * c.channels + i], w[(o * 9 + t) * c.channels + i]);
          }
          y.push_back(sum);
        }
  return y;
}

struct Built {
  MLOperand x, filter, bias, conv;
};
Built append(ChainUnderTest& t, const Conv& c, const MLOperand& x, const MLOperand& filter) {
  MLConv2dOptions o{.padding = c.padding,
                    .inputLayout = MLInputOperandLayout::nhwc,
                    .filterLayout = MLConv2dFilterOperandLayout::ohwi};
  if (c.bias) o.bias = t.constant({c.outputs});
  return {x, filter, c.bias ? *o.bias : MLOperand(), t.b.conv2d(x, filter, o)};
}

/// Errors are relative to the largest sums: a tile's transforms mix all that it sees.
std::vector<Sum> expected(const ChainUnderTest& t, const Conv& c, const Built& g) {
  std::vector<Sum> sums = convolve(c, t.values(g.x), t.values(g.filter),
                                   c.bias ? &t.values(g.bias) : nullptr, g.conv.shape());
  double largest = 0;
  for (const Sum& s : sums)
    if (std::isfinite(s.magnitude)) largest = std::max(largest, s.magnitude);
  for (Sum& s : sums) {
    s.magnitude = largest;
    s.terms = static_cast<int>(9 * c.channels);
  }
  return sums;
}

ChainUnderTest chain_of(Winograd3x3 rule) {
  return ChainUnderTest(simd::make_backend({.winograd = rule}));
}

void check(const Conv& c, Winograd3x3 rule, bool residual = false,
           const ActivationCase& activation = activations()[0]) {
  INFO(c << (residual ? ", residual, " : ", ") << activation.name);
  ChainUnderTest t = chain_of(rule);
  const Built g = append(t, c, t.input({c.batch, c.height, c.width, c.channels}),
                         t.constant({c.outputs, 3, 3, c.channels}));
  MLOperand y = g.conv, added;
  if (residual) {
    added = t.input(y.shape());
    y = t.b.add(y, added);
  }
  const std::vector<float> actual = t.run(activation.append(t.b, y));
  CHECK_THAT(t.kernel, Catch::Matchers::StartsWith(
                           rule == Winograd3x3::tiles_2x2 ? "winograd 2x2" : "winograd 4x4"));
  std::vector<Sum> sums = expected(t, c, g);
  REQUIRE(actual.size() == sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (residual) sums[i].add(t.values(added)[i]);
    check_near(actual[i], sums[i], activation.value, activation.slope);
  }
}

const std::vector<Conv> cases{
    {1, 8, 8, 16, 16},
    {1, 1, 1, 1, 1},
    {2, 7, 9, 19, 33, {1, 1, 1, 1}, false},
    {1, 3, 5, 4, 50, {0, 0, 0, 0}},
    {1, 6, 21, 20, 17, {2, 0, 0, 3}},
    {1, 5, 4, 3, 5, {6, 5, 7, 9}},  // windows outside of the image
    {3, 2, 2, 40, 8, {1, 1, 1, 1}},
    {1, 30, 37, 24, 64},    // several blocks of tiles
    {1, 17, 18, 130, 136},  // one step after the other
};

}  // namespace

TEST_CASE("winograd: all forms") {
  for_targets([] {
    for (const auto rule : {Winograd3x3::tiles_4x4, Winograd3x3::tiles_2x2})
      for (const Conv& c : cases) check(c, rule);
  });
}

TEST_CASE("winograd: residual and activation") {
  for_targets([] {
    for (const auto rule : {Winograd3x3::tiles_4x4, Winograd3x3::tiles_2x2})
      for (const ActivationCase& a : activations())
        for (const Conv& c : {cases[0], cases[2], cases[4]}) {
          check(c, rule, false, a);
          check(c, rule, true, a);
        }
  });
}

TEST_CASE("winograd: random shapes") {
  std::mt19937 random(11);
  const auto any = [&](int lo, int hi) {
    return static_cast<std::uint32_t>(std::uniform_int_distribution<>(lo, hi)(random));
  };
  for_targets([&] {
    for (int i = 0; i < 30; ++i) {
      const Conv c{any(1, 3),  any(1, 20), any(1, 20),
                   any(1, 70), any(1, 70), {any(1, 3), any(1, 3), any(1, 3), any(1, 3)}};
      check(c, any(0, 1) ? Winograd3x3::tiles_4x4 : Winograd3x3::tiles_2x2, any(0, 1),
            activations()[any(0, 2)]);
    }
  });
}

TEST_CASE("winograd: what is not finite reaches only what reads it") {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = NAN;
  const Conv c{1, 13, 14, 17, 20};
  for_targets([&] {
    for (const auto rule : {Winograd3x3::tiles_4x4, Winograd3x3::tiles_2x2})
      for (const bool residual : {false, true})
        for (const float bad : {inf, -inf, nan, 3e38f}) {
          INFO(bad << (residual ? ", residual" : ""));
          ChainUnderTest t = chain_of(rule);
          std::vector<float> values(13 * 14 * 17);
          std::uniform_real_distribution<float> u(-1, 1);
          for (float& v : values) v = u(t.random);
          const std::size_t pixel = 5 * 14 + 6;
          values[pixel * 17 + 3] = bad;
          const Built g =
              append(t, c, t.input({1, 13, 14, 17}, values), t.constant({20, 3, 3, 17}));
          MLOperand y = g.conv, added;
          if (residual) {
            added = t.input(y.shape());
            y = t.b.add(y, added);
          }
          const std::vector<float> actual = t.run(y);
          const std::vector<Sum> sums =
              convolve(c, t.values(g.x), t.values(g.filter), &t.values(g.bias), g.conv.shape());
          for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::size_t row = i / 20 / 14, column = i / 20 % 14;
            const bool reads = row >= 4 && row <= 6 && column >= 5 && column <= 7;
            const double value =
                sums[i].value + (residual ? static_cast<double>(t.values(added)[i]) : 0);
            CAPTURE(row, column, i % 20);
            if (reads && std::isnan(value)) CHECK(std::isnan(actual[i]));
            else if (reads) CHECK(actual[i] == Approx(static_cast<float>(value)).epsilon(1e-6));
            // The magnitudes of 154 terms add up to 40 at most.
            else CHECK(std::abs(actual[i] - value) < 158 * 0x1p-24 * 40);
          }
        }
  });
}

TEST_CASE("winograd: a filter that is not finite") {
  ChainUnderTest t = chain_of(Winograd3x3::tiles_4x4);
  const Conv c{1, 9, 9, 16, 16};
  std::vector<float> filter(16 * 9 * 16);
  for (std::size_t i = 0; i < filter.size(); ++i) filter[i] = static_cast<float>(i % 7) - 3;
  filter[5 * 9 * 16 + 4 * 16] = std::numeric_limits<float>::infinity();  // output 5, the middle
  const MLOperand x = t.input({1, 9, 9, 16}),
                  w = t.b.constant({float32, {16, 3, 3, 16}}, std::span<const float>(filter));
  const MLOperand conv = t.b.conv2d(x, w,
                                    {.padding = {1, 1, 1, 1},
                                     .inputLayout = MLInputOperandLayout::nhwc,
                                     .filterLayout = MLConv2dFilterOperandLayout::ohwi});
  const std::vector<float> y = t.run(conv);
  const std::vector<Sum> sums = convolve(c, t.values(x), filter, nullptr, conv.shape());
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i % 16 == 5) CHECK(y[i] == static_cast<float>(sums[i].value));
    else CHECK(std::abs(static_cast<double>(y[i]) - sums[i].value) < 1e-4);
  }
}

TEST_CASE("winograd: the rule") {
  const auto kernel = [](const Conv& c, Dims filter, MLConv2dOptions o, Winograd3x3 rule) {
    ChainUnderTest t = chain_of(rule);
    o.inputLayout = MLInputOperandLayout::nhwc;
    o.filterLayout = MLConv2dFilterOperandLayout::ohwi;
    auto lowering = t.lower(
        t.b.conv2d(t.input({c.batch, c.height, c.width, c.channels}), t.constant(filter), o));
    REQUIRE(std::holds_alternative<Candidate>(lowering));
    return std::get<Candidate>(lowering).name;
  };
  const auto by_shape = [&](const Conv& c, Dims filter, MLConv2dOptions o = {}) {
    return kernel(c, filter, o, Winograd3x3::by_shape).starts_with("winograd");
  };
  CHECK(by_shape({1, 56, 56, 64, 64}, {64, 3, 3, 64}));
  CHECK(by_shape({1, 14, 14, 256, 256}, {256, 3, 3, 256}));
  CHECK(!by_shape({1, 224, 224, 3, 32}, {32, 3, 3, 3}));
  CHECK(!by_shape({1, 3, 3, 64, 64}, {64, 3, 3, 64}));
  CHECK(!by_shape({1, 56, 56, 64, 64}, {64, 5, 5, 64}));
  CHECK(!by_shape({1, 56, 56, 64, 64}, {64, 3, 3, 64}, {.strides = {2, 2}}));
  CHECK(!by_shape({1, 56, 56, 64, 64}, {64, 3, 3, 64}, {.dilations = {2, 2}}));
  CHECK(!by_shape({1, 56, 56, 64, 64}, {64, 3, 3, 32}, {.groups = 2}));
  CHECK(!kernel({1, 56, 56, 64, 64}, {64, 3, 3, 64}, {}, Winograd3x3::off).starts_with("winograd"));
}

TEST_CASE("winograd: WEBNN_WINOGRAD") {
  REQUIRE(setenv("WEBNN_WINOGRAD", "off", 1) == 0);
  CHECK(simd::options().winograd == Winograd3x3::off);
  REQUIRE(setenv("WEBNN_WINOGRAD", "on", 1) == 0);
  CHECK(simd::options().winograd == Winograd3x3::by_shape);
  REQUIRE(setenv("WEBNN_WINOGRAD", "maybe", 1) == 0);
  CHECK_THROWS_AS(simd::options(), Error);
  REQUIRE(unsetenv("WEBNN_WINOGRAD") == 0);
}

}  // namespace webnn::inline v0_1::test
