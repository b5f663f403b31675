// What where refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("where: the data types") {
  test::Builder b;
  const MLOperand x = b.x({2}), c = b.x({2}, uint8);
  CHECK(text(b.where(c, b.x({2}, int64), b.x({2}, int64))) == "int64 [2]");
  b.refuses("where [w]: the data type (float32) of condition is not one of uint8.",
            [&] { b.where(x, x, x, {.label = "w"}); });
  b.refuses("where: the data type (float16) of falseValue is not that of trueValue (float32).",
            [&] { b.where(c, x, b.x({2}, float16)); });
}

TEST_CASE("where: all three broadcast") {
  test::Builder b;
  const MLOperand c = b.x({2}, uint8), x = b.x({2}), y = b.x({3});
  CHECK(text(b.where(b.x({}, uint8), x, x)) == "float32 [2]");
  CHECK(text(b.where(b.x({4, 1, 1}, uint8), b.x({3, 1}), x)) == "float32 [4, 3, 2]");
  b.refuses("where [w]: the shapes of trueValue ([2]) and falseValue ([3]) do not broadcast.",
            [&] { b.where(c, x, y, {.label = "w"}); });
  b.refuses("where: the shape ([2]) of condition does not broadcast with that of the values ([3]).",
            [&] { b.where(c, y, y); });
}
