// What the remainders refuse, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("modulus: a and b have one data type") {
  test::Builder b;
  const MLOperand x = b.x({2}), half = b.x({2}, float16);
  CHECK(text(b.modulusFloor(b.x({2}, uint64), b.x({2}, uint64))) == "uint64 [2]");
  CHECK(text(b.modulusTruncate(b.x({2}, int8), b.x({2}, int8))) == "int8 [2]");
  b.refuses("modulusFloor [m]: the data type (float16) of b is not that of a (float32).",
            [&] { b.modulusFloor(x, half, {.label = "m"}); });
  b.refuses("modulusTruncate: the data type (float32) of b is not that of a (float16).",
            [&] { b.modulusTruncate(half, x); });
  b.refuses(
      "modulusFloor: the data type (int4) of a is not one of float32, float16, int32, uint32, "
      "int64, uint64, int8, uint8, bfloat16, "
      "float8e4m3.",
      [&] { b.modulusFloor(b.x({2}, int4), b.x({2}, int4)); });
}

TEST_CASE("modulus: a and b broadcast") {
  test::Builder b;
  CHECK(text(b.modulusFloor(b.x({3, 1}), b.x({1, 4}))) == "float32 [3, 4]");
  CHECK(text(b.modulusTruncate(b.x({}), b.x({2, 2}))) == "float32 [2, 2]");
  b.refuses("modulusFloor: the shapes of a ([2]) and b ([3]) do not broadcast.",
            [&] { b.modulusFloor(b.x({2}), b.x({3})); });
  b.refuses("modulusTruncate [m]: the shapes of a ([2, 3]) and b ([3, 2]) do not broadcast.", [&] {
    b.modulusTruncate(b.x({2, 3}), b.x({3, 2}), {.label = "m"});
  });
}
