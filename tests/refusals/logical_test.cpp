// What the comparisons and logical operators refuse, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("comparisons: a and b have one data type") {
  test::Builder b;
  const MLOperand x = b.x({2}), i = b.x({2}, int64);
  CHECK(text(b.equal(i, i)) == "uint8 [2]");
  b.refuses("equal [e]: the data type (int64) of b is not that of a (float32).",
            [&] { b.equal(x, i, {.label = "e"}); });
  b.refuses("notEqual: the data type (float32) of b is not that of a (int64).",
            [&] { b.notEqual(i, x); });
  b.refuses("greater: the data type (int64) of b is not that of a (float32).",
            [&] { b.greater(x, i); });
  b.refuses("greaterOrEqual: the data type (int64) of b is not that of a (float32).",
            [&] { b.greaterOrEqual(x, i); });
  b.refuses("lesser: the data type (int64) of b is not that of a (float32).",
            [&] { b.lesser(x, i); });
  b.refuses("lesserOrEqual: the data type (int64) of b is not that of a (float32).",
            [&] { b.lesserOrEqual(x, i); });
}

TEST_CASE("comparisons and logical operators: a and b broadcast") {
  test::Builder b;
  const MLOperand x = b.x({2}, uint8), y = b.x({3}, uint8);
  CHECK(text(b.greater(b.x({3, 1}), b.x({1, 4}))) == "uint8 [3, 4]");
  CHECK(text(b.logicalXor(x, b.x({}, uint8))) == "uint8 [2]");
  b.refuses("equal [e]: the shapes of a ([2]) and b ([3]) do not broadcast.",
            [&] { b.equal(x, y, {.label = "e"}); });
  b.refuses("logicalOr: the shapes of a ([2]) and b ([3]) do not broadcast.",
            [&] { b.logicalOr(x, y); });
}

TEST_CASE("logical operators: a and b are uint8") {
  test::Builder b;
  const MLOperand x = b.x({2}, uint8), f = b.x({2});
  CHECK(text(b.logicalAnd(x, x)) == "uint8 [2]");
  CHECK(text(b.logicalNot(x)) == "uint8 [2]");
  b.refuses("logicalAnd [and]: the data type (float32) of a is not one of uint8.",
            [&] { b.logicalAnd(f, x, {.label = "and"}); });
  b.refuses("logicalAnd: the data type (float32) of b is not that of a (uint8).",
            [&] { b.logicalAnd(x, f); });
  b.refuses("logicalOr: the data type (float32) of a is not one of uint8.",
            [&] { b.logicalOr(f, f); });
  b.refuses("logicalXor: the data type (int8) of a is not one of uint8.",
            [&] { b.logicalXor(b.x({2}, int8), x); });
  b.refuses("logicalNot [not]: the data type (float32) of a is not one of uint8.",
            [&] { b.logicalNot(f, {.label = "not"}); });
}

TEST_CASE("isNaN, isInfinite: floats") {
  test::Builder b;
  CHECK(text(b.isNaN(b.x({2}, float16))) == "uint8 [2]");
  b.refuses("isNaN [n]: the data type (int32) of a is not one of float32, float16, bfloat16.",
            [&] { b.isNaN(b.x({2}, int32), {.label = "n"}); });
  b.refuses("isInfinite: the data type (uint8) of a is not one of float32, float16, bfloat16.",
            [&] { b.isInfinite(b.x({2}, uint8)); });
}
