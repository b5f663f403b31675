// What hardSwish refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("hardSwish: the data types") {
  test::Builder b;
  CHECK(text(b.hardSwish(b.x({2, 3}, float16))) == "float16 [2, 3]");
  b.refuses(
      "hardSwish [h]: the data type (uint8) of input is not one of float32, float16, bfloat16.",
      [&] { b.hardSwish(b.x({2}, uint8), {.label = "h"}); });
}
