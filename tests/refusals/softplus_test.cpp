// What softplus refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("softplus: the data types") {
  test::Builder b;
  CHECK(text(b.softplus(b.x({2, 3}, float16))) == "float16 [2, 3]");
  b.refuses(
      "softplus [s]: the data type (int32) of input is not one of float32, float16, bfloat16.",
      [&] { b.softplus(b.x({2}, int32), {.label = "s"}); });
}
