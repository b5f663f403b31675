// What clamp refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("clamp: minValue does not exceed maxValue") {
  test::Builder b;
  const MLOperand x = b.x({2, 3});
  CHECK(text(b.clamp(x, {.minValue = 1, .maxValue = 1})) == "float32 [2, 3]");
  CHECK(text(b.clamp(b.x({}), {.minValue = INFINITY})) == "float32 []");
  b.refuses("clamp [c]: minValue (2) is greater than maxValue (1) as float32.",
            [&] { b.clamp(x, {.minValue = 2, .maxValue = 1, .label = "c"}); });
  b.refuses("clamp: minValue (inf) is greater than maxValue (-inf) as float32.",
            [&] { b.clamp(x, {.minValue = INFINITY, .maxValue = -INFINITY}); });
}

TEST_CASE("clamp: a bound is not NaN") {
  test::Builder b;
  b.refuses("clamp [c]: minValue is NaN.",
            [&] { b.clamp(b.x({2}), {.minValue = NAN, .maxValue = 1, .label = "c"}); });
  b.refuses("clamp: maxValue is NaN.", [&] { b.clamp(b.x({2}, int32), {.maxValue = NAN}); });
}

TEST_CASE("clamp: the bounds are compared as the data type of input") {
  test::Builder b;
  CHECK(text(b.clamp(b.x({2}, uint8), {.minValue = -5, .maxValue = -1})) == "uint8 [2]");
  CHECK(text(b.clamp(b.x({2}, int8), {.minValue = 300, .maxValue = 200})) == "int8 [2]");
  CHECK(text(b.clamp(b.x({2}, int32), {.minValue = 1.4, .maxValue = 1.1})) == "int32 [2]");
  CHECK(text(b.clamp(b.x({2}), {.minValue = 16777217, .maxValue = 16777216})) == "float32 [2]");
  b.refuses("clamp [c]: minValue (127) is greater than maxValue (100) as int8.",
            [&] { b.clamp(b.x({2}, int8), {.minValue = 200, .maxValue = 100, .label = "c"}); });
  b.refuses(
      "clamp: minValue (9007199254740993) is greater than maxValue (9007199254740992) as int64.",
      [&] {
        b.clamp(b.x({2}, int64), {.minValue = 9007199254740993, .maxValue = 9007199254740992});
      });
}
