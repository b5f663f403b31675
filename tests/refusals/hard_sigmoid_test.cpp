// What hardSigmoid refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("hardSigmoid: the data types") {
  test::Builder b;
  b.refuses(
      "hardSigmoid [h]: the data type (int32) of input is not one of float32, float16, bfloat16.",
      [&] { b.hardSigmoid(b.x({2}, int32), {.label = "h"}); });
}

TEST_CASE("hardSigmoid: alpha and beta are finite") {
  test::Builder b;
  const MLOperand x = b.x({2}, float16);
  CHECK(text(b.hardSigmoid(x, {.alpha = -1, .beta = -2})) == "float16 [2]");
  b.refuses("hardSigmoid [h]: alpha (nan) is not finite.",
            [&] { b.hardSigmoid(x, {.alpha = NAN, .beta = NAN, .label = "h"}); });
  b.refuses("hardSigmoid: beta (inf) is not finite.",
            [&] { b.hardSigmoid(x, {.beta = INFINITY}); });
}
