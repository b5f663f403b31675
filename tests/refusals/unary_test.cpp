// What the element-wise unary operators refuse, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("unary: signed numbers") {
  test::Builder b;
  const MLOperand x = b.x({2}, uint8);
  CHECK(text(b.abs(b.x({2}, int8))) == "int8 [2]");
  CHECK(text(b.abs(b.x({1, 2, 3, 1, 2, 3}, float16))) == "float16 [1, 2, 3, 1, 2, 3]");
  CHECK(text(b.identity(b.x({2}, uint64))) == "uint64 [2]");
  b.refuses(
      "abs [a]: the data type (uint8) of input is not one of float32, float16, int32, int64, int8, "
      "bfloat16.",
      [&] { b.abs(x, {.label = "a"}); });
  b.refuses(
      "neg: the data type (uint32) of input is not one of float32, float16, int32, int64, int8, "
      "bfloat16.",
      [&] { b.neg(b.x({2}, uint32)); });
  b.refuses(
      "sign: the data type (uint64) of input is not one of float32, float16, int32, int64, int8, "
      "bfloat16.",
      [&] { b.sign(b.x({2}, uint64)); });
}

TEST_CASE("unary: floats") {
  test::Builder b;
  const MLOperand x = b.x({2}, int32);
  b.refuses("ceil [c]: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.ceil(x, {.label = "c"}); });
  b.refuses("cos: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.cos(x); });
  b.refuses("erf: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.erf(x); });
  b.refuses("exp: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.exp(x); });
  b.refuses("floor: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.floor(x); });
  b.refuses("log: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.log(x); });
  b.refuses("reciprocal: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.reciprocal(x); });
  b.refuses("roundEven: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.roundEven(x); });
  b.refuses("sin: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.sin(x); });
  b.refuses("sqrt: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.sqrt(x); });
  b.refuses("tan [t]: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.tan(x, {.label = "t"}); });
}
