// What cumulativeSum refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("cumulativeSum: the data types") {
  test::Builder b;
  const MLOperand x = b.x({3}, int8);
  CHECK(text(b.cumulativeSum(b.x({3}, int64), 0)) == "int64 [3]");
  b.refuses(
      "cumulativeSum [s]: the data type (int8) of input is not one of float32, float16, int32, "
      "uint32, int64, uint64, bfloat16.",
      [&] { b.cumulativeSum(x, 0, {.label = "s"}); });
}

TEST_CASE("cumulativeSum: the axis is below the rank") {
  test::Builder b;
  const MLOperand x = b.x({3, 4});
  CHECK(text(b.cumulativeSum(x, 1)) == "float32 [3, 4]");
  b.refuses("cumulativeSum: the rank (0) of input is less than 1.",
            [&] { b.cumulativeSum(b.x({}), 0); });
  b.refuses("cumulativeSum [s]: axis (2) is not less than the rank (2) of input.",
            [&] { b.cumulativeSum(x, 2, {.label = "s"}); });
}
