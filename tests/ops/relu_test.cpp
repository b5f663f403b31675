#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

MLOperand relu(MLGraphBuilder& b, Build::Operands x) { return b.relu(x[0]); }

}  // namespace

TEST_CASE("relu: max(0, x) in every signed type", "[relu]") {
  check_elementwise(
      relu, types::signed_numbers, "relu", [](double v) { return std::max(0.0, v); }, -100, 100);
}

TEST_CASE("relu: limits, infinities and NaN", "[relu]") {
  check_values(relu, types::floats, "relu",
               {{NAN, NAN}, {INFINITY, INFINITY}, {-INFINITY, 0}, {-0.0, 0}, {0x1p-24, 0x1p-24}});
  for (auto type : {int8, int32})
    check_values(relu, {type}, "relu",
                 {{lowest_of(type), 0}, {highest_of(type), highest_of(type)}});
  check({relu,
         {integers(int64, {3}, {INT64_MIN, -1, INT64_MAX})},
         {integers(int64, {3}, {0, 0, INT64_MAX})}});
}

TEST_CASE("relu: as max with a constant", "[relu]") {
  Random random(2);
  for (auto type : {float32, float16, bfloat16})
    check_same(relu,
               [](MLGraphBuilder& b, Build::Operands x) {
                 return b.max(x[0], b.constant(x[0].dataType(), 0));
               },
               {random.tensor(type, {5, 7})}, {});
}
