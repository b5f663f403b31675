// What softmax refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("softmax: the data types") {
  test::Builder b;
  b.refuses(
      "softmax [probs]: the data type (int32) of input is not one of float32, float16, bfloat16.",
      [&] {
        b.softmax(b.x({2, 3}, int32), 1, {.label = "probs"});
      });
}

TEST_CASE("softmax: the axis is below the rank") {
  test::Builder b;
  const MLOperand x = b.x({1, 2, 3, 4, 5});
  CHECK(text(b.softmax(x, 4)) == "float32 [1, 2, 3, 4, 5]");
  b.refuses("softmax [probs]: axis (5) is not less than the rank (5) of input.",
            [&] { b.softmax(x, 5, {.label = "probs"}); });
  b.refuses("softmax: the rank (0) of input is less than 1.", [&] { b.softmax(b.x({}), 0); });
}
