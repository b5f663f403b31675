// Poolings.
#include <cmath>

#include "tests/kernels/simd/support.h"

namespace webnn::inline v0_1::test {
namespace {

enum Kind { average, l2, largest };

struct Im2col {
  Dims shape, size, padding, strides, dilations;
  MLRoundingType rounding = MLRoundingType::floor;
};

MLOperand pool(MLGraphBuilder& b, Kind kind, const MLOperand& x, const Im2col& w) {
  const MLPool2dOptions o{.windowDimensions = w.size,
                          .padding = w.padding,
                          .strides = w.strides,
                          .dilations = w.dilations,
                          .layout = MLInputOperandLayout::nhwc,
                          .outputShapeRounding = w.rounding};
  return kind == average ? b.averagePool2d(x, o)
         : kind == l2    ? b.l2Pool2d(x, o)
                         : b.maxPool2d(x, o);
}

/// A window of one channel in double precision, and how many elements it has.
double expected(Kind kind, const std::vector<double>& window) {
  double sum = 0, most = -INFINITY;
  for (double v : window) {
    sum += kind == l2 ? v * v : v;
    most = std::isnan(v) || std::isnan(most) ? NAN : std::max(most, v);
  }
  if (kind == largest) return most;
  if (kind == l2) return std::sqrt(sum);
  return window.empty() ? 0 : sum / static_cast<double>(window.size());
}

void check_pool(Kind kind, const Im2col& w, std::vector<float> values = {}) {
  ChainUnderTest t;
  const MLOperand x = values.empty() ? t.input(w.shape) : t.input(w.shape, std::move(values));
  const MLOperand y = pool(t.b, kind, x, w);
  const auto actual = t.run(y);
  const Dims out = y.shape();
  std::size_t next = 0, wrong = 0;
  for (std::int64_t n = 0; n < out[0]; ++n)
    for (std::int64_t h = 0; h < out[1]; ++h)
      for (std::int64_t v = 0; v < out[2]; ++v)
        for (std::int64_t c = 0; c < out[3]; ++c) {
          std::vector<double> window;
          double magnitude = 0;
          for (std::int64_t i = 0; i < w.size[0]; ++i)
            for (std::int64_t k = 0; k < w.size[1]; ++k) {
              const std::int64_t row = h * w.strides[0] + i * w.dilations[0] - w.padding[0];
              const std::int64_t column = v * w.strides[1] + k * w.dilations[1] - w.padding[2];
              if (row < 0 || column < 0 || row >= w.shape[1] || column >= w.shape[2]) continue;
              window.push_back(t.values(x)[static_cast<std::size_t>(
                  ((n * w.shape[1] + row) * w.shape[2] + column) * w.shape[3] + c)]);
              magnitude += std::abs(window.back());
            }
          const double e = expected(kind, window), a = actual[next++];
          const double error = kind == average ? 0x1p-22 * magnitude : 0x1p-23 * std::abs(e);
          if (a != e && !(std::isnan(a) && std::isnan(e)) &&
              !(std::abs(a - e) <= (kind == largest ? 0 : error)) && wrong++ == 0)
            FAIL_CHECK(a << " for " << e);
        }
  CHECK(next == actual.size());
}

}  // namespace

TEST_CASE("simd pool2d: windows, strides, dilations, paddings, channels") {
  for_targets([] {
    for (Kind kind : {average, l2, largest})
      for (std::uint32_t channels : {1u, 3u, 16u, 37u, 150u})
        for (auto rounding : {MLRoundingType::floor, MLRoundingType::ceil}) {
          check_pool(kind, {{2, 9, 8, channels}, {3, 2}, {1, 0, 0, 1}, {1, 1}, {1, 1}, rounding});
          check_pool(kind, {{1, 9, 8, channels}, {3, 3}, {1, 1, 1, 1}, {2, 3}, {1, 1}, rounding});
          check_pool(kind, {{1, 9, 8, channels}, {2, 3}, {2, 2, 2, 2}, {2, 1}, {3, 2}, rounding});
          check_pool(kind, {{2, 7, 7, channels}, {7, 7}, {0, 0, 0, 0}, {1, 1}, {1, 1}, rounding});
        }
  });
}

TEST_CASE("simd pool2d: many tiles") {
  for_targets([] {
    for (Kind kind : {average, l2, largest})
      check_pool(kind, {{2, 40, 41, 133}, {3, 3}, {1, 1, 1, 1}, {1, 1}, {1, 1}});
  });
}

TEST_CASE("simd pool2d: windows without elements") {
  for_targets([] {
    for (Kind kind : {average, l2, largest})
      check_pool(kind, {{1, 2, 2, 5}, {1, 1}, {3, 1, 0, 2}, {1, 1}, {1, 1}});
  });
}

TEST_CASE("simd pool2d: NaN, infinities, large and small numbers") {
  std::vector<float> values(1 * 4 * 4 * 20);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i)) * (i % 3 ? 1e30f : 1e-30f);
  for_targets([&] {
    check_pool(l2, {{1, 4, 4, 20}, {2, 2}, {0, 0, 0, 0}, {1, 1}, {1, 1}}, values);
  });
  for (std::size_t i = 0; i < values.size(); i += 7) values[i] = NAN;
  for (std::size_t i = 0; i < values.size(); i += 13) values[i] = -INFINITY;
  for_targets([&] {
    check_pool(largest, {{1, 4, 4, 20}, {2, 2}, {1, 1, 1, 1}, {1, 1}, {1, 1}}, values);
    check_pool(largest, {{1, 4, 4, 20}, {1, 2}, {0, 0, 0, 0}, {2, 2}, {1, 1}}, values);
  });
}

}  // namespace webnn::inline v0_1::test
