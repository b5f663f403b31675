// webnn.TopK against a sort of each row.
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// Whether element a comes before element b: larger first, or smaller, NaN as the largest number.
bool before(double a, double b, bool largest) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == largest && std::isnan(b) != largest;
  return largest ? a > b : a < b;
}

void check(const Tensor& x, std::uint32_t axis, std::uint32_t k, bool largest, const char* type) {
  const auto y =
      run_operator(operators::top_k(), {x},
                   {{"k", k}, {"axis", axis}, {"largest", largest}, {"indexType", type}});
  REQUIRE(y.size() == 2);
  CHECK(y[1].type == (std::string_view(type) == "int64" ? int64 : int32));
  Dims rows = x.shape;
  rows[axis] = 1;
  for_each_place(rows, [&](const Dims& place) {
    Dims at = place;
    std::vector<std::uint32_t> order(x.shape[axis]);
    std::iota(order.begin(), order.end(), 0u);
    const auto value = [&](std::uint32_t i) {
      at[axis] = i;
      return x.at(at);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return before(value(a), value(b), largest);
    });
    for (std::uint32_t i = 0; i < k; ++i) {
      const double expected = value(order[i]);
      at[axis] = i;
      REQUIRE(y[1].at(at) == order[i]);
      if (std::isnan(expected)) REQUIRE(std::isnan(y[0].at(at)));
      else REQUIRE(y[0].at(at) == expected);
    }
  });
}

}  // namespace

TEST_CASE("TopK: every type, axis, and direction") {
  Random random(1);
  for_each_type(types::any, [&](MLOperandDataType type) {
    const double low = type == uint8 || type == uint32 || type == uint64 ? 0 : -9;
    const Tensor x = random.tensor(type, {3, 17, 4}, low, 9);  // with equal elements
    for (std::uint32_t axis = 0; axis < 3; ++axis)
      for (const bool largest : {true, false})
        for (const std::uint32_t k : {1u, 2u, x.shape[axis]})
          check(x, axis, k, largest, k == 1 ? "int32" : "int64");
  });
}

TEST_CASE("TopK: rows of many elements, and many rows") {
  Random random(2);
  check(random.tensor(float32, {2, 5000}), 1, 7, true, "int64");
  check(random.tensor(float32, {2, 5000}), 1, 4000, false, "int64");
  check(random.tensor(float32, {3000, 5}), 1, 2, true, "int64");
  check(random.tensor(float32, {5, 3000}), 0, 2, true, "int64");
}

TEST_CASE("TopK: numbers that are not finite") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  for (const MLOperandDataType type : {float32, float16, bfloat16})
    for (const bool largest : {true, false})
      check(tensor(type, {1, 9}, {1, nan, -infinite, 0, -0.0, infinite, nan, 2, -1}), 1, 9, largest,
            "int64");
}

TEST_CASE("TopK: integers of 64 bits that are no doubles") {
  const Tensor x = integers(int64, {3}, {(1ll << 53) + 1, 1ll << 53, (1ll << 53) + 2});
  const auto y = run_operator(operators::top_k(), {x}, {{"k", 3}});
  CHECK(y[1].as<std::int64_t>()[0] == 2);
  CHECK(y[1].as<std::int64_t>()[1] == 0);
  CHECK(y[1].as<std::int64_t>()[2] == 1);
}

TEST_CASE("operators of the library have names that no other operator may have") {
  CustomOperator o = *operators::top_k();
  const auto own = custom_operator(o);
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2, 3}});
  CHECK(thrown([&] {
          b.custom(own, {x}, {.attributes = {{"k", 1}}});
        }) == "TypeError webnn.TopK: the name is one of the library's operators.");
  CHECK_THAT(thrown([&] { MLContext({.operators = {own}}); }),
             ContainsSubstring("a name of the library's operators"));
  CHECK(b.custom(operators::top_k(), {x}, {.attributes = {{"k", 1}}}).size() == 2);
}

TEST_CASE("TopK: what it refuses") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2, 3}}), scalar = b.input("s", {float32, {}});
  const auto refused = [&](const MLOperand& of, CustomAttributes attributes) {
    return thrown([&] { b.custom("webnn.TopK", {of}, {.attributes = attributes, .label = "l"}); });
  };
  CHECK(refused(x, {{"k", 4}}) ==
        "TypeError webnn.TopK [l]: k (4) is not from 1 to the size (3) of axis 1.");
  CHECK_THAT(refused(x, {{"k", 0}}), ContainsSubstring("k (0) is not from 1"));
  CHECK_THAT(refused(x, {}), ContainsSubstring("attribute \"k\" is not given"));
  CHECK_THAT(refused(x, {{"k", 1}, {"axis", 2}}),
             ContainsSubstring("axis (2) is not within the rank 2"));
  CHECK_THAT(refused(x, {{"k", 1}, {"axis", -3}}), ContainsSubstring("axis (-3)"));
  CHECK_THAT(refused(scalar, {{"k", 1}}), ContainsSubstring("axis (-1) is not within the rank 0"));
  CHECK_THAT(refused(x, {{"k", 1}, {"indexType", "int8"}}), ContainsSubstring("\"int8\""));
  CHECK(refused(x, {{"k", 1}, {"axis", -2}}) == "nothing");
}
