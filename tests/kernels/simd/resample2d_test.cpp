#include <algorithm>
#include <cmath>

#include "tests/kernels/simd/support.h"

namespace webnn::inline v0_1::test {
namespace {

using enum MLInterpolationMode;

struct Size {
  std::uint32_t height, width;
};

/// The elements [before][height][width][after] as the contract says: centers at half coordinates.
std::vector<Sum> resized(MLInterpolationMode mode, std::size_t before, Size in, Size out,
                         std::size_t after, const std::vector<float>& x) {
  struct Tap {
    std::size_t at;
    double weight;
  };
  const auto taps = [mode](std::uint32_t o, std::uint32_t from, std::uint32_t to) {
    const double c = (o + 0.5) * from / to - 0.5;
    const auto clamped = [&](double v) {
      return static_cast<std::size_t>(std::clamp(v, 0.0, from - 1.0));
    };
    if (mode == nearest_neighbor) return std::vector<Tap>{{clamped(std::ceil(c - 0.5)), 1}};
    const double low = std::floor(c), t = c - low;
    return std::vector<Tap>{{clamped(low), 1 - t}, {clamped(low + 1), t}};
  };
  std::vector<Sum> y(before * out.height * out.width * after);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t rest = i / after;
    const auto column = static_cast<std::uint32_t>(rest % out.width),
               row = static_cast<std::uint32_t>(rest / out.width % out.height);
    const std::size_t image = rest / out.width / out.height;
    for (const Tap& down : taps(row, in.height, out.height))
      for (const Tap& across : taps(column, in.width, out.width))
        if (const double weight = down.weight * across.weight; weight > 0)
          y[i].add(x[((image * in.height + down.at) * in.width + across.at) * after + i % after],
                   weight);
  }
  return y;
}

void check(MLInterpolationMode mode, Dims shape, std::uint32_t axis, Size out,
           bool reversed = false) {
  INFO(name_of(mode) << ' ' << shape[0] << 'x' << shape[1] << 'x' << shape[2] << 'x' << shape[3]
                     << " along " << axis << " to " << out.height << 'x' << out.width);
  ChainUnderTest t;
  const MLOperand x = t.input(shape);
  MLResample2dOptions o{
      .mode = mode, .sizes = Dims{out.height, out.width}, .axes = {axis, axis + 1}};
  if (reversed) {
    o.axes = {axis + 1, axis};
    o.sizes = Dims{out.width, out.height};
  }
  const auto y = t.run(t.b.resample2d(x, o));
  std::size_t before = 1, after = 1;
  for (std::uint32_t d = 0; d < axis; ++d) before *= shape[d];
  for (std::uint32_t d = axis + 2; d < 4; ++d) after *= shape[d];
  const auto sums = resized(mode, before, {shape[axis], shape[axis + 1]}, out, after, t.values(x));
  REQUIRE(sums.size() == y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (mode == nearest_neighbor) CHECK(y[i] == static_cast<float>(sums[i].value));
    else check_near(y[i], sums[i]);
  }
}

}  // namespace

TEST_CASE("simd resample2d: sizes and axes") {
  for_targets([] {
    for (auto mode : {nearest_neighbor, linear}) {
      for (const Dims& shape : {Dims{1, 4, 6, 16}, Dims{2, 5, 7, 3}, Dims{1, 3, 5, 37}})
        for (const auto& [h, w] : {std::pair{8u, 12u}, {3u, 2u}, {1u, 1u}, {5u, 40u}, {16u, 6u}})
          check(mode, shape, 1, {h, w});
      for (const Dims& shape : {Dims{1, 3, 4, 6}, Dims{2, 2, 9, 50}, Dims{1, 1, 1, 1}})
        for (const auto& [h, w] : {std::pair{8u, 12u}, {4u, 33u}, {2u, 1u}, {18u, 100u}})
          check(mode, shape, 2, {h, w}, h == 8);
      check(mode, {4, 5, 2, 3}, 0, {7, 3});
      check(mode, {1, 64, 64, 8}, 1, {128, 128});
      check(mode, {1, 1, 1, 4}, 1, {3, 70});
    }
  });
}

TEST_CASE("simd resample2d: an infinite element reaches only what is made of it") {
  for_targets([] {
    for (std::uint32_t after : {1u, 20u}) {
      ChainUnderTest t;
      std::vector<float> values(3 * after, 1.f);
      std::fill_n(values.begin() + after, after, INFINITY);  // the middle column
      const auto y = t.run(t.b.resample2d(t.input({1, 1, 3, after}, values),
                                          {.mode = linear, .sizes = Dims{3, 9}, .axes = {1, 2}}));
      for (std::size_t i = 0; i < y.size(); ++i) {
        // Columns 1 and 7 lie on the centers of the other two elements.
        const std::size_t column = i / after % 9;
        CHECK(std::isinf(y[i]) == (column > 1 && column < 7));
        CHECK(!std::isnan(y[i]));
      }
    }
  });
}

TEST_CASE("simd resample2d: refusals have reasons") {
  ChainUnderTest t;
  const auto reason = [&](const MLOperand& y) {
    const auto lowering = t.lower(y);
    REQUIRE(std::holds_alternative<Refusal>(lowering));
    return std::get<Refusal>(lowering).reason;
  };
  CHECK(reason(t.b.resample2d(t.input({1, 2, 3, 4}), {.sizes = Dims{2, 2}, .axes = {1, 3}})) ==
        "only along two dimensions that follow one another");
  CHECK(reason(t.b.resample2d(t.input({1, 1, 1, 1}), {.sizes = Dims{1, 65537}})) ==
        "a size is above 2^16");
}

}  // namespace webnn::inline v0_1::test
