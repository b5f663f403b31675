// What sigmoid refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("sigmoid: the data types") {
  test::Builder b;
  CHECK(text(b.sigmoid(b.x({2, 3}, float16))) == "float16 [2, 3]");
  b.refuses("sigmoid [s]: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.sigmoid(b.x({2}, int32), {.label = "s"}); });
}
