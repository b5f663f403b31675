// webnn.CumulativeProduct and webnn.Determinant against their definitions.
#include <cmath>
#include <limits>

#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

void check_product(const Tensor& x, std::uint32_t axis, bool exclusive, bool reversed,
                   double tolerance) {
  const Tensor y = run_operator(operators::cumulative_product(), {x},
                                {{"axis", axis}, {"exclusive", exclusive}, {"reversed", reversed}})
                       .front();
  CHECK(y.type == x.type);
  CHECK(y.shape == x.shape);
  for_each_place(x.shape, [&](const Dims& place) {
    double expected = 1;
    for (std::uint32_t i = 0; i < x.shape[axis]; ++i) {
      Dims at = place;
      at[axis] = i;
      const bool before = reversed ? i > place[axis] : i < place[axis];
      if (before || (!exclusive && i == place[axis])) expected *= x.at(at);
    }
    REQUIRE(std::abs(y.at(place) - expected) <= tolerance * std::max(1.0, std::abs(expected)));
  });
}

/// By the elements of the first row and what is left without them.
double determinant(const std::vector<std::vector<double>>& m) {
  if (m.empty()) return 1;
  double sum = 0;
  for (std::size_t k = 0; k < m.size(); ++k) {
    std::vector<std::vector<double>> rest(m.begin() + 1, m.end());
    for (auto& row : rest) row.erase(row.begin() + static_cast<std::ptrdiff_t>(k));
    sum += (k % 2 ? -1 : 1) * m[0][k] * determinant(rest);
  }
  return sum;
}

void check_determinant(const Tensor& x, double tolerance) {
  const Tensor y = run_operator(operators::determinant(), {x}, {}).front();
  CHECK(y.shape == Dims(x.shape.begin(), x.shape.end() - 2));
  const std::uint32_t n = x.shape.back();
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::vector<std::vector<double>> m(n, std::vector<double>(n));
    for (std::uint32_t k = 0; k < n * n; ++k) m[k / n][k % n] = x[i * n * n + k];
    const double expected = determinant(m);
    REQUIRE(std::abs(y[i] - expected) <= tolerance * std::max(1.0, std::abs(expected)));
  }
}

}  // namespace

TEST_CASE("CumulativeProduct: every type, axis and direction") {
  Random random(1);
  for_each_type(types::any, [&](MLOperandDataType type) {
    const double low = type == uint8 || type == uint32 || type == uint64 ? 1 : -2;
    const double tolerance = type == float16      ? 6e-3
                             : type == bfloat16   ? 5e-3
                             : type == float8e4m3 ? 7e-2
                             : type == float32    ? 1e-5
                                                  : 0;
    for (std::uint32_t axis = 0; axis < 3; ++axis)
      for (const bool exclusive : {false, true})
        for (const bool reversed : {false, true})
          check_product(random.tensor(type, {4, 3, 5}, low, 2), axis, exclusive, reversed,
                        tolerance);
  });
  check_product(random.tensor(float32, {3000, 7}, 0.9, 1.1), 1, false, false, 1e-5);
  check_product(random.tensor(float32, {7, 3000}, 0.99, 1.01), 0, true, true, 1e-5);
}

TEST_CASE("CumulativeProduct: integers wrap around, zeros and NaN stay") {
  const auto wide =
      run_operator(operators::cumulative_product(), {integers(int64, {3}, {1ll << 62, 3, 5})}, {});
  CHECK(wide[0].as<std::int64_t>()[1] == -(1ll << 62));
  const auto narrow =
      run_operator(operators::cumulative_product(), {tensor(int8, {3}, {100, 3, -1})}, {});
  CHECK(narrow[0][1] == 44);
  CHECK(narrow[0][2] == -44);
  const auto y =
      run_operator(operators::cumulative_product(),
                   {tensor(float32, {3}, {0, std::numeric_limits<double>::infinity(), 1})}, {});
  CHECK(y[0][0] == 0);
  CHECK(std::isnan(y[0][2]));
}

TEST_CASE("Determinant: sizes and batches") {
  Random random(2);
  for (const std::uint32_t n : {1u, 2u, 3u, 6u}) {
    check_determinant(random.tensor(float32, {n, n}), 1e-5);
    check_determinant(random.tensor(float32, {2, 3, n, n}), 1e-5);
    check_determinant(random.tensor(float16, {2, n, n}, -1, 1), 2e-3);
    check_determinant(random.tensor(bfloat16, {2, n, n}, -1, 1), 1e-2);
  }
  check_determinant(random.tensor(float32, {5000, 2, 2}), 1e-5);
  // The first pivot is 0; a matrix without an inverse; one that is not a number.
  check_determinant(tensor(float32, {2, 2}, {0, 1, 1, 0}), 0);
  check_determinant(tensor(float32, {2, 2}, {2, 4, 1, 2}), 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto y =
      run_operator(operators::determinant(), {tensor(float32, {2, 2}, {nan, 1, 1, 1})}, {});
  CHECK(std::isnan(y[0][0]));
}

TEST_CASE("CumulativeProduct and Determinant: what they refuse") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2, 3}}), line = b.input("l", {float32, {2}}),
                  i = b.input("i", {int32, {2, 2}}), large = b.input("g", {float32, {5000, 5000}});
  const auto refused = [&](const char* name, const MLOperand& of, CustomAttributes attributes) {
    return thrown([&] { b.custom(name, {of}, {.attributes = attributes}); });
  };
  CHECK_THAT(refused("webnn.CumulativeProduct", x, {{"axis", 2}}), ContainsSubstring("axis (2)"));
  CHECK_THAT(refused("webnn.Determinant", x, {}), ContainsSubstring("has no square matrices"));
  CHECK_THAT(refused("webnn.Determinant", line, {}), ContainsSubstring("is 1, not at least 2"));
  CHECK_THAT(refused("webnn.Determinant", i, {}), ContainsSubstring("is int32"));
  CHECK_THAT(refused("webnn.Determinant", large, {}), ContainsSubstring("5000 rows, more than"));
}
