// What gelu refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("gelu: the data types") {
  test::Builder b;
  CHECK(text(b.gelu(b.x({2, 3}, float16))) == "float16 [2, 3]");
  b.refuses("gelu [g]: the data type (int8) of input is not one of float32, float16, bfloat16.",
            [&] { b.gelu(b.x({2}, int8), {.label = "g"}); });
}
