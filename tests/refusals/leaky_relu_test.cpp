// What leakyRelu refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("leakyRelu: the data types") {
  test::Builder b;
  b.refuses(
      "leakyRelu [l]: the data type (int32) of input is not one of float32, float16, bfloat16.",
      [&] { b.leakyRelu(b.x({2}, int32), {.label = "l"}); });
}

TEST_CASE("leakyRelu: alpha is finite") {
  test::Builder b;
  const MLOperand x = b.x({2});
  CHECK(text(b.leakyRelu(x, {.alpha = -0.5})) == "float32 [2]");
  b.refuses("leakyRelu [l]: alpha (nan) is not finite.",
            [&] { b.leakyRelu(x, {.alpha = NAN, .label = "l"}); });
}
