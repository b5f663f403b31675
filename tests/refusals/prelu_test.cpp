// What prelu refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("prelu: the data types") {
  test::Builder b;
  const MLOperand x = b.x({2});
  CHECK(text(b.prelu(b.x({2}, int8), b.x({2}, int8))) == "int8 [2]");
  b.refuses(
      "prelu [p]: the data type (uint8) of input is not one of float32, float16, int32, int64, "
      "int8, bfloat16.",
      [&] { b.prelu(b.x({2}, uint8), b.x({2}, uint8), {.label = "p"}); });
  b.refuses("prelu: the data type (float16) of slope is not that of input (float32).",
            [&] { b.prelu(x, b.x({2}, float16)); });
}

TEST_CASE("prelu: input and slope broadcast") {
  test::Builder b;
  const MLOperand x = b.x({2, 1});
  CHECK(text(b.prelu(x, b.x({5, 1, 3}))) == "float32 [5, 2, 3]");
  b.refuses("prelu [p]: the shapes of input ([2, 1]) and slope ([3, 1]) do not broadcast.", [&] {
    b.prelu(x, b.x({3, 1}), {.label = "p"});
  });
}
