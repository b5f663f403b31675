// What the element-wise binary operators refuse, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("binary: a and b have one data type") {
  test::Builder b;
  const MLOperand x = b.x({2}), half = b.x({2}, float16);
  CHECK(text(b.add(b.x({2}, uint64), b.x({2}, uint64))) == "uint64 [2]");
  b.refuses("add [sum]: the data type (float16) of b is not that of a (float32).",
            [&] { b.add(x, half, {.label = "sum"}); });
  b.refuses("sub: the data type (float32) of b is not that of a (float16).",
            [&] { b.sub(half, x); });
  b.refuses("mul: the data type (float16) of b is not that of a (float32).",
            [&] { b.mul(x, half); });
  b.refuses("div: the data type (float16) of b is not that of a (float32).",
            [&] { b.div(x, half); });
  b.refuses("max: the data type (float16) of b is not that of a (float32).",
            [&] { b.max(x, half); });
  b.refuses("min: the data type (float16) of b is not that of a (float32).",
            [&] { b.min(x, half); });
  b.refuses("pow [p]: the data type (float16) of b is not that of a (float32).",
            [&] { b.pow(x, half, {.label = "p"}); });
}

TEST_CASE("binary: a and b broadcast") {
  test::Builder b;
  const MLOperand x = b.x({2}), y = b.x({3});
  CHECK(text(b.mul(b.x({3, 1}), b.x({1, 4}))) == "float32 [3, 4]");
  CHECK(text(b.sub(b.x({}), b.x({2, 2}))) == "float32 [2, 2]");
  CHECK(text(b.pow(b.x({}), b.x({}))) == "float32 []");
  b.refuses("add [sum]: the shapes of a ([2]) and b ([3]) do not broadcast.",
            [&] { b.add(x, y, {.label = "sum"}); });
  b.refuses("pow: the shapes of a ([2, 3]) and b ([3, 2]) do not broadcast.", [&] {
    b.pow(b.x({2, 3}), b.x({3, 2}));
  });
}

TEST_CASE("binary: the result is a tensor") {
  test::Builder b;
  b.refuses(
      "add [s]: the number of elements of output ([65536, 65536]) is greater than 2147483647.",
      [&] {
        b.add(b.x({65536, 1}), b.x({1, 65536}), {.label = "s"});
      });
  b.refuses("mul: the byte length (2147483648) of output is greater than 2147483647.", [&] {
    b.mul(b.x({65536, 1}, int64), b.x({1, 4096}, int64));
  });
}
