// What quantizeLinear refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("quantizeLinear: the data types") {
  test::Builder b;
  const MLOperand x = b.x({2}), z = b.x({2}, uint8);
  CHECK(text(b.quantizeLinear(x, x, b.x({2}, int32))) == "int32 [2]");
  b.refuses(
      "quantizeLinear [q]: the data type (uint8) of input is not one of float32, float16, "
      "bfloat16.",
      [&] { b.quantizeLinear(z, x, z, {.label = "q"}); });
  b.refuses("quantizeLinear: the data type (float16) of scale is not that of input (float32).",
            [&] { b.quantizeLinear(x, b.x({2}, float16), z); });
  b.refuses(
      "quantizeLinear: the data type (int64) of zeroPoint is not one of int32, uint32, int8, "
      "uint8, int4, uint4, float8e4m3.",
      [&] { b.quantizeLinear(x, x, b.x({2}, int64)); });
}

TEST_CASE("quantizeLinear: scale and zeroPoint have the rank of input and one shape") {
  test::Builder b;
  const MLOperand x = b.x({4, 6}), s = b.x({2, 1}), z = b.x({2, 1}, uint8);
  CHECK(text(b.quantizeLinear(x, s, z)) == "uint8 [4, 6]");
  CHECK(text(b.quantizeLinear(b.x({}), b.x({}), b.x({}, int8))) == "int8 []");
  CHECK(text(b.quantizeLinear(x, b.x({1, 1}), b.x({1, 1}, uint4))) == "uint4 [4, 6]");
  b.refuses("quantizeLinear: the rank (1) of scale is not that of input (2).",
            [&] { b.quantizeLinear(x, b.x({2}), z); });
  b.refuses("quantizeLinear: the rank (0) of zeroPoint is not that of input (2).",
            [&] { b.quantizeLinear(x, s, b.x({}, uint8)); });
  b.refuses(
      "quantizeLinear [q]: the shape ([4, 6]) of scale differs from the shape ([2, 1]) of "
      "zeroPoint.",
      [&] { b.quantizeLinear(x, x, z, {.label = "q"}); });
  b.refuses(
      "quantizeLinear: the shape ([4, 6]) of input is not a multiple of the shape ([1, 4]) of "
      "scale.",
      [&] {
        b.quantizeLinear(x, b.x({1, 4}), b.x({1, 4}, uint8));
      });
}
