// What tile refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("tile: a repetition for each dimension") {
  test::Builder b;
  const MLOperand x = b.x({2, 3});
  CHECK(text(b.tile(x, {1, 1})) == "float32 [2, 3]");
  CHECK(text(b.tile(b.x({}), {})) == "float32 []");
  b.refuses("tile [t]: the length (1) of repetitions is not 2.",
            [&] { b.tile(x, {2}, {.label = "t"}); });
  b.refuses("tile: repetitions[1] is zero.", [&] { b.tile(x, {2, 0}); });
}

TEST_CASE("tile: the result is a tensor") {
  test::Builder b;
  const MLOperand x = b.x({2, 3});
  b.refuses("tile [t]: dimension 0 (4294967296) of output is not between 1 and 2147483647.", [&] {
    b.tile(x, {1u << 31, 1}, {.label = "t"});
  });
  b.refuses("tile: the number of elements of output ([131072, 196608]) is greater than 2147483647.",
            [&] {
              b.tile(x, {65536, 65536});
            });
}
