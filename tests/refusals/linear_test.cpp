// What linear refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("linear: the data types") {
  test::Builder b;
  b.refuses("linear [l]: the data type (int64) of input is not one of float32, float16, bfloat16.",
            [&] { b.linear(b.x({2}, int64), {.label = "l"}); });
}

TEST_CASE("linear: alpha and beta are finite") {
  test::Builder b;
  const MLOperand x = b.x({2});
  b.refuses("linear [l]: alpha (inf) is not finite.",
            [&] { b.linear(x, {.alpha = INFINITY, .label = "l"}); });
  b.refuses("linear: beta (nan) is not finite.", [&] { b.linear(x, {.beta = NAN}); });
}
