// Reductions, softmax and normalizations along rows.
#include <cmath>

#include "tests/kernels/simd/support.h"

namespace webnn::inline v0_1::test {
namespace {

using B = MLGraphBuilder;
using X = MLOperand;
using Row = std::vector<double>;

struct ReductionCase {
  const char* name;
  std::function<X(B&, X, const MLReduceOptions&)> append;
  std::function<double(const Row&)> value;
};
double total(const Row& r) {
  double s = 0;
  for (double v : r) s += v;
  return s;
}
double squares(const Row& r) {
  double s = 0;
  for (double v : r) s += v * v;
  return s;
}
double extremum(const Row& r, double sign) {
  double best = r[0];
  for (double v : r)
    if (v != v) return NAN;
    else if (v * sign > best * sign) best = v;
  return best;
}
const std::vector<ReductionCase> reductions{
    {"reduceSum", [](B& b, X x, const auto& o) { return b.reduceSum(x, o); }, total},
    {"reduceMean", [](B& b, X x, const auto& o) { return b.reduceMean(x, o); },
     [](const Row& r) { return total(r) / static_cast<double>(r.size()); }},
    {"reduceSumSquare", [](B& b, X x, const auto& o) { return b.reduceSumSquare(x, o); }, squares},
    {"reduceMax", [](B& b, X x, const auto& o) { return b.reduceMax(x, o); },
     [](const Row& r) { return extremum(r, 1); }},
    {"reduceMin", [](B& b, X x, const auto& o) { return b.reduceMin(x, o); },
     [](const Row& r) { return extremum(r, -1); }},
};

std::vector<Row> rows_of(const std::vector<float>& x, std::size_t n) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < x.size(); i += n)
    rows.emplace_back(x.begin() + static_cast<std::ptrdiff_t>(i),
                      x.begin() + static_cast<std::ptrdiff_t>(i + n));
  return rows;
}

void check_reductions(const Dims& shape, const OptionalList<std::uint32_t>& axes, std::size_t n,
                      const std::vector<float>& values = {}) {
  for (const ReductionCase& r : reductions)
    for (bool keep : {false, true}) {
      INFO(r.name << " of " << n);
      ChainUnderTest t;
      const X x = values.empty() ? t.input(shape) : t.input(shape, values);
      const auto y = t.run(r.append(t.b, x, {.axes = axes, .keepDimensions = keep}));
      const auto rows = rows_of(t.values(x), n);
      REQUIRE(rows.size() == y.size());
      for (std::size_t i = 0; i < y.size(); ++i) check_ulp(y[i], r.value(rows[i]), 0);
    }
}

Row softmax(const Row& x) {
  const double most = extremum(x, 1);
  Row y;
  for (double v : x) y.push_back(std::exp(v - most));
  const double sum = total(y);
  for (double& v : y) v /= sum;
  return y;
}

void check_softmax(const Dims& shape, std::uint32_t axis, const std::vector<float>& values = {}) {
  ChainUnderTest t;
  const X x = values.empty() ? t.input(shape) : t.input(shape, values);
  const auto y = t.run(t.b.softmax(x, axis));
  const std::size_t n = shape[axis];
  const auto rows = rows_of(t.values(x), n);
  for (std::size_t i = 0; i < y.size(); ++i) check_ulp(y[i], softmax(rows[i / n])[i % n], 6);
}

void check_layers(const Dims& shape, std::size_t n, bool scaled, bool biased, float far = 0) {
  ChainUnderTest t;
  std::vector<float> values(element_count(shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = far + std::sin(static_cast<float>(i * i));
  const X x = t.input(shape, values);
  MLLayerNormalizationOptions o;
  const Dims row(shape.begin() + 1, shape.end());
  if (scaled) o.scale = t.input(row);
  if (biased) o.bias = t.constant(row);
  const auto y = t.run(t.b.layerNormalization(x, o));
  const auto rows = rows_of(values, n);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const Row& r = rows[i / n];
    const double mean = total(r) / static_cast<double>(n);
    double variance = 0;
    for (double v : r) variance += (v - mean) * (v - mean) / static_cast<double>(n);
    const double e = (r[i % n] - mean) / std::sqrt(variance + double{1e-5f}) *
                         (scaled ? double{t.values(*o.scale)[i % n]} : 1) +
                     (biased ? double{t.values(*o.bias)[i % n]} : 0);
    REQUIRE(std::abs(y[i] - e) < 2e-6);
  }
}

}  // namespace

TEST_CASE("simd rows: reductions over the last dimensions") {
  for_targets([] {
    for (std::uint32_t n : {8u, 9u, 16u, 31u, 64u, 67u, 200u, 1031u})
      check_reductions({3, n}, std::vector{1u}, n);
    check_reductions({2, 5, 6, 7}, std::vector{3u, 1u, 2u}, 210);
    check_reductions({2, 5, 3, 7, 1}, std::vector{2u, 3u}, 21);
    check_reductions({5, 6, 7}, std::nullopt, 210);
    check_reductions({700, 300}, std::vector{1u}, 300);
  });
}

TEST_CASE("simd rows: NaN, infinities and sums that cancel") {
  std::vector<float> values(20 * 37);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = (i % 2 ? 1.f : -1.f) * static_cast<float>(1 + i / 2 % 18) * 1e15f;
  for_targets([&] { check_reductions({20, 37}, std::vector{1u}, 37, values); });
  for (std::size_t row = 0; row < 20; ++row) values[row * 38] = row % 3 ? NAN : INFINITY;
  for_targets([&] { check_reductions({20, 37}, std::vector{1u}, 37, values); });
}

TEST_CASE("simd rows: softmax") {
  for_targets([] {
    for (std::uint32_t n : {1u, 2u, 7u, 16u, 33u, 65u, 1000u}) check_softmax({5, n}, 1);
    check_softmax({3, 2, 40, 1}, 2);
    check_softmax({900, 50}, 1);
    // Far from the largest, where the difference is no float; beyond all floats; none at all.
    check_softmax({1, 4}, 1, {0.1f, -80.3f, -40.7f, 3.3f});
    check_softmax({1, 3}, 1, {3e38f, -3e38f, 3e38f});
    check_softmax({1, 3}, 1, {-INFINITY, 1, 2});
    check_softmax({1, 2}, 1, {-INFINITY, -INFINITY});
    for (std::uint32_t n : {2u, 3u, 4u, 5u})  // narrow rows, and some that are not
      for (std::uint32_t rows : {1u, 7u, 16u, 33u, 500u}) check_softmax({rows, n}, 1);
    check_softmax({5, 2}, 1, {1, NAN, NAN, 2, -INFINITY, 3, 3e38f, -3e38f, INFINITY, 1});
    check_softmax({1, 3}, 1, {INFINITY, 1, 2});
    check_softmax({1, 3}, 1, {NAN, 1, 2});
  });
}

TEST_CASE("simd rows: layerNormalization") {
  for_targets([] {
    for (std::uint32_t n : {1u, 5u, 16u, 33u, 70u, 768u})
      for (bool scaled : {false, true})
        for (bool biased : {false, true}) check_layers({4, n}, n, scaled, biased);
    check_layers({7, 5, 6}, 30, true, true);
    check_layers({300, 100}, 100, true, true);
    check_layers({3, 50}, 50, true, true, 1000);
  });
}

TEST_CASE("simd rows: refusals") {
  ChainUnderTest t;
  const auto refused = [&](const X& y) { return std::holds_alternative<Refusal>(t.lower(y)); };
  const X x = t.input({10, 20, 30});
  CHECK(refused(t.b.reduceSum(x, {.axes = std::vector{0u, 2u}})));
  CHECK(refused(t.b.layerNormalization(x, {.axes = std::vector{1u}})));
  CHECK(refused(
      t.b.layerNormalization(x, {.scale = t.input({30, 20}), .axes = std::vector{2u, 1u}})));
}

}  // namespace webnn::inline v0_1::test
