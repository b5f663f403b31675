// What gather refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("gather: indices are int32, uint32 or int64") {
  test::Builder b;
  const MLOperand x = b.x({3, 4});
  CHECK(text(b.gather(x, b.x({2, 2}, int64))) == "float32 [2, 2, 4]");
  b.refuses("gather [g]: the data type (float32) of indices is not one of int32, uint32, int64.",
            [&] { b.gather(x, b.x({2}), {.label = "g"}); });
  b.refuses("gather: the data type (int8) of indices is not one of int32, uint32, int64.",
            [&] { b.gather(x, b.x({2}, int8), {.axis = 7}); });
  b.refuses("gather: the data type (uint8) of indices is not one of int32, uint32, int64.",
            [&] { b.gather(x, b.x({2}, uint8)); });
  b.refuses("gather: the data type (uint64) of indices is not one of int32, uint32, int64.",
            [&] { b.gather(x, b.x({2}, uint64)); });
}

TEST_CASE("gather: the axis is below the rank") {
  test::Builder b;
  const MLOperand x = b.x({3, 4}), i = b.x({}, int32);
  CHECK(text(b.gather(b.x({5}), i)) == "float32 []");
  CHECK(text(b.gather(x, i, {.axis = 1})) == "float32 [3]");
  b.refuses("gather: the rank (0) of input is less than 1.", [&] { b.gather(b.x({}), i); });
  b.refuses("gather [g]: axis (2) is not less than the rank (2) of input.",
            [&] { b.gather(x, i, {.axis = 2, .label = "g"}); });
}

TEST_CASE("gather: the result is a tensor") {
  test::Builder b;
  const MLOperand x = b.x({1, 1, 1, 1, 1}), i = b.x({1, 1, 1, 1, 1}, int32);
  b.refuses("gather [g]: the rank (9) of output is greater than 8.",
            [&] { b.gather(x, i, {.label = "g"}); });
}
