#include <limits>

#include "src/kernels/common/dispatch_type.h"
#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build prelu = [](auto& b, auto x) { return b.prelu(x[0], x[1]); };

TEST_CASE("prelu: shapes that broadcast in both directions, every data type", "[prelu]") {
  check_binary(prelu, types::signed_numbers, "prelu",
               [](double x, double slope) { return std::max(0.0, x) + slope * std::min(0.0, x); });
}

TEST_CASE("prelu: a slope that is larger than the input", "[prelu]") {
  check({prelu,
         {tensor(float32, {2}, {-2, 3}), tensor(float32, {2, 1}, {0.5, -1})},
         {tensor(float32, {2, 2}, {-1, 3, 2, 3})}});
}

TEST_CASE("prelu: products of integers wrap", "[prelu]") {
  check({prelu,
         {integers(int8, {3}, {-128, -100, 127}), integers(int8, {3}, {-1, 3, 99})},
         {integers(int8, {3}, {-128, -44, 127})}});
  check({prelu,
         {integers(int32, {2}, {INT32_MIN, -3}), integers(int32, {2}, {3, INT32_MAX})},
         {integers(int32, {2}, {INT32_MIN, -2147483645})}});
  check(
      {prelu,
       {integers(int64, {2}, {INT64_MIN, -(1L << 40)}), integers(int64, {2}, {-1, (1L << 24) + 1})},
       {integers(int64, {2}, {INT64_MIN, -(1L << 40)})}});
}

TEST_CASE("prelu: infinities, zeros, NaN", "[prelu]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for_each_type(types::floats, [&](MLOperandDataType type) {
    check({prelu,
           {tensor(type, {6}, {inf, -inf, nan, -0.0, 2, -1}),
            tensor(type, {6}, {2, 0.5, 1, 3, nan, nan})},
           {tensor(type, {6}, {inf, -inf, nan, 0, 2, nan})}});
  });
}

TEST_CASE("prelu: max and min", "[prelu]") {
  Random random(241);
  check_same(
      prelu,
      [](auto& b, auto x) {
        const MLOperand zero = b.constant(float32, 0);
        return b.add(b.max(zero, x[0]), b.mul(x[1], b.min(zero, x[0])));
      },
      {random.tensor(float32, {3, 4, 5}), random.tensor(float32, {4, 1})},
      tolerance_of("prelu", float32));
}

}  // namespace
