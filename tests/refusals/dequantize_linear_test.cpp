// What dequantizeLinear refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("dequantizeLinear: the data types") {
  test::Builder b;
  const MLOperand x = b.x({2}, uint8), s = b.x({2}), z = b.x({2}, uint8), wide = b.x({2}, int64);
  CHECK(text(b.dequantizeLinear(x, b.x({2}, float16), z)) == "float16 [2]");
  CHECK(text(b.dequantizeLinear(b.x({2}, int32), s, b.x({2}, int32))) == "float32 [2]");
  b.refuses(
      "dequantizeLinear [dq]: the data type (int64) of input is not one of int32, uint32, int8, "
      "uint8, int4, uint4, float8e4m3.",
      [&] { b.dequantizeLinear(wide, s, wide, {.label = "dq"}); });
  b.refuses(
      "dequantizeLinear: the data type (uint8) of scale is not one of float32, float16, bfloat16.",
      [&] { b.dequantizeLinear(x, x, z); });
  b.refuses("dequantizeLinear: the data type (int8) of zeroPoint is not that of input (uint8).",
            [&] { b.dequantizeLinear(x, s, b.x({2}, int8)); });
}

TEST_CASE("dequantizeLinear: scale and zeroPoint have the rank of input and one shape") {
  test::Builder b;
  const MLOperand x = b.x({4, 6}, uint8), s = b.x({2, 1}), z = b.x({2, 1}, uint8);
  CHECK(text(b.dequantizeLinear(x, s, z)) == "float32 [4, 6]");
  CHECK(text(b.dequantizeLinear(x, b.x({4, 6}), b.x({4, 6}, uint8))) == "float32 [4, 6]");
  CHECK(text(b.dequantizeLinear(b.x({}, int8), b.x({}), b.x({}, int8))) == "float32 []");
  CHECK(text(b.dequantizeLinear(b.x({3}, int4), b.x({1}), b.x({1}, int4))) == "float32 [3]");
  b.refuses("dequantizeLinear: the rank (0) of scale is not that of input (2).",
            [&] { b.dequantizeLinear(x, b.x({}), z); });
  b.refuses("dequantizeLinear: the rank (1) of zeroPoint is not that of input (2).",
            [&] { b.dequantizeLinear(x, s, b.x({2}, uint8)); });
  b.refuses(
      "dequantizeLinear [dq]: the shape ([2, 1]) of scale differs from the shape ([1, 1]) of "
      "zeroPoint.",
      [&] {
        b.dequantizeLinear(x, s, b.x({1, 1}, uint8), {.label = "dq"});
      });
  b.refuses(
      "dequantizeLinear: the shape ([4, 6]) of input is not a multiple of the shape ([3, 1]) of "
      "scale.",
      [&] {
        b.dequantizeLinear(x, b.x({3, 1}), b.x({3, 1}, uint8));
      });
}
