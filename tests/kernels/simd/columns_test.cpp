// Reductions over other dimensions than the last, and places of extremes.
#include <cmath>
#include <cstring>

#include "tests/kernels/simd/support.h"
#include "tests/support/ulp.h"

namespace webnn::inline v0_1::test {
namespace {

using B = MLGraphBuilder;
using X = MLOperand;
using Column = std::vector<double>;

/// The elements of each [outer][rows][columns] that one result is made of.
std::vector<Column> columns_of(const std::vector<float>& x, std::size_t rows, std::size_t columns) {
  std::vector<Column> all(x.size() / rows);
  for (std::size_t i = 0; i < x.size(); ++i)
    all[i / (rows * columns) * columns + i % columns].push_back(x[i]);
  return all;
}

struct ReductionCase {
  const char* name;
  std::function<X(B&, X, const MLReduceOptions&)> append;
  std::function<double(double, double)> step;
  bool mean = false;
};
double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }  // NaN stays
double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }
const std::vector<ReductionCase> reductions{
    {"reduceSum", [](B& b, X x, const auto& o) { return b.reduceSum(x, o); },
     [](double a, double v) { return a + v; }},
    {"reduceMean", [](B& b, X x, const auto& o) { return b.reduceMean(x, o); },
     [](double a, double v) { return a + v; }, true},
    {"reduceSumSquare", [](B& b, X x, const auto& o) { return b.reduceSumSquare(x, o); },
     [](double a, double v) { return a + v * v; }},
    {"reduceMax", [](B& b, X x, const auto& o) { return b.reduceMax(x, o); }, larger},
    {"reduceMin", [](B& b, X x, const auto& o) { return b.reduceMin(x, o); }, smaller},
};

void check_reductions(const Dims& shape, const Dims& axes, std::size_t rows, std::size_t columns,
                      const std::vector<float>& values = {}) {
  for (const ReductionCase& r : reductions) {
    INFO(r.name << " of " << rows << " rows, " << columns << " columns");
    ChainUnderTest t;
    const X x = values.empty() ? t.input(shape) : t.input(shape, values);
    const auto y = t.run(r.append(t.b, x, {.axes = axes}));
    CHECK(t.kernel == "reduce columns");
    const auto all = columns_of(t.values(x), rows, columns);
    REQUIRE(all.size() == y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const bool square = std::strcmp(r.name, "reduceSumSquare") == 0;
      double v = square ? all[i][0] * all[i][0] : all[i][0];
      for (std::size_t k = 1; k < rows; ++k) v = r.step(v, all[i][k]);
      if (r.mean) v /= static_cast<double>(rows);
      if (ulp_distance(y[i], static_cast<float>(v)) > 0) FAIL(y[i] << " for " << v);
    }
  }
}

void check_softmax(const Dims& shape, std::uint32_t axis, const std::vector<float>& values = {}) {
  INFO("rank " << shape.size() << ", axis " << axis << ", " << shape[axis] << " elements");
  ChainUnderTest t;
  const X x = values.empty() ? t.input(shape) : t.input(shape, values);
  const auto y = t.run(t.b.softmax(x, axis));
  std::size_t columns = 1;
  for (std::size_t d = axis + 1; d < shape.size(); ++d) columns *= shape[d];
  const auto from = columns_of(t.values(x), shape[axis], columns),
             to = columns_of(y, shape[axis], columns);
  for (std::size_t i = 0; i < from.size(); ++i) {
    double largest = from[i][0], sum = 0;
    for (double v : from[i]) largest = larger(largest, v);
    for (double v : from[i]) sum += std::exp(v - largest);
    for (std::size_t k = 0; k < from[i].size(); ++k) {
      const auto expected = static_cast<float>(std::exp(from[i][k] - largest) / sum);
      if (ulp_distance(static_cast<float>(to[i][k]), expected) > 6)
        FAIL(to[i][k] << " for " << expected);
    }
  }
}

/// The result of argMax or argMin, as a graph computes it.
std::vector<std::int64_t> searched(const Dims& shape, std::uint32_t axis, bool largest, bool wide,
                                   const std::vector<float>& values) {
  MLContext context({.threads = 1, .backends = {"simd"}});
  MLGraphBuilder b(context);
  const X x = b.input("x", {float32, shape});
  const MLArgMinMaxOptions o{.outputDataType = wide ? int64 : int32};
  const X y = largest ? b.argMax(x, axis, o) : b.argMin(x, axis, o);
  const MLGraph graph = b.build({{"y", y}});
  std::vector<std::int32_t> narrow(element_count(y.shape()));
  std::vector<std::int64_t> all(narrow.size());
  if (wide) context.compute(graph, {{"x", values}}, {{"y", all}});
  else {
    context.compute(graph, {{"x", values}}, {{"y", narrow}});
    all.assign(narrow.begin(), narrow.end());
  }
  return all;
}

void check_search(const Dims& shape, std::uint32_t axis, std::vector<float> values = {}) {
  INFO("rank " << shape.size() << ", axis " << axis << ", " << shape[axis] << " elements");
  if (values.empty()) {
    std::mt19937 random(3);
    for (std::uint64_t i = 0; i < element_count(shape); ++i)
      values.push_back(static_cast<float>(random() % 50));  // some are equal
  }
  std::size_t columns = 1;
  for (std::size_t d = axis + 1; d < shape.size(); ++d) columns *= shape[d];
  const auto all = columns_of(values, shape[axis], columns);
  for (bool largest : {false, true}) {
    const auto y = searched(shape, axis, largest, columns % 2, values);
    REQUIRE(y.size() == all.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < shape[axis]; ++k) {
        const double v = all[i][k], now = all[i][best];
        if (std::isnan(now)) break;
        if (std::isnan(v) || (largest ? v > now : v < now)) best = k;
      }
      if (y[i] != static_cast<std::int64_t>(best)) FAIL(y[i] << " for " << best << " at " << i);
    }
  }
}

}  // namespace

TEST_CASE("simd columns: reductions") {
  for_targets([] {
    check_reductions({1, 7, 7, 33}, {1, 2}, 49, 33);
    check_reductions({2, 5, 1, 16}, {1}, 5, 16);
    check_reductions({3, 4, 5, 8}, {1}, 4, 40);
    check_reductions({90, 70, 20}, {0, 1}, 6300, 20);
    check_reductions({2, 1000, 9}, {1}, 1000, 9);
    check_reductions({1, 3, 1, 500}, {2, 1}, 3, 500);
    const float nan = std::nanf("");
    std::vector<float> values(3 * 20, 1.f);
    values[4] = nan;
    values[25] = INFINITY;
    values[46] = -INFINITY;
    values[7] = INFINITY;
    values[27] = -INFINITY;
    check_reductions({3, 20}, {0}, 3, 20, values);
  });
}

TEST_CASE("simd columns: softmax") {
  for_targets([] {
    check_softmax({2, 21, 5, 7}, 1);
    check_softmax({3, 1, 40}, 1);
    check_softmax({500, 8}, 0);
    check_softmax({1, 2, 70, 33}, 2);
    check_softmax({3, 8}, 0, {-INFINITY, 1,         NAN, INFINITY, 3e38f,  -INFINITY, 0.1f,   0,
                              2,         1,         2,   3,        -3e38f, -INFINITY, -80.3f, 0,
                              4,         -INFINITY, 1,   5,        3e38f,  -INFINITY, -40.7f, 0});
  });
}

TEST_CASE("simd columns: argMax and argMin") {
  for_targets([] {
    check_search({1, 9, 11, 21}, 3);
    check_search({5, 8}, 1);
    check_search({3, 1000}, 1);
    check_search({2, 21, 5, 7}, 1);
    check_search({30, 8}, 0);
    check_search({2, 1, 70}, 1);
    check_search({600, 16}, 1);
  });
}

TEST_CASE("simd columns: the first of equals, NaN before all numbers") {
  for_targets([] {
    const float nan = std::nanf(""), inf = INFINITY;
    for (std::uint32_t axis : {1u, 0u}) {
      const Dims shape = axis ? Dims{8, 9} : Dims{9, 8};
      std::vector<float> values(72, 0.f);
      const auto at = [&](std::size_t lane, std::size_t k) -> float& {
        return axis ? values[lane * 9 + k] : values[k * 8 + lane];
      };
      at(1, 3) = nan;
      at(2, 0) = nan;
      at(2, 5) = nan;
      at(3, 4) = inf;
      at(3, 6) = inf;
      at(4, 8) = -inf;
      at(4, 2) = inf;
      for (std::size_t k = 0; k < 9; ++k) at(5, k) = -inf;
      for (std::size_t k = 0; k < 9; ++k) at(6, k) = inf;
      at(7, 1) = -0.f;
      check_search(shape, axis, values);
    }
  });
}

}  // namespace webnn::inline v0_1::test
