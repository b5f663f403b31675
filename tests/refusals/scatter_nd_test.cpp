// What scatterND refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("scatterND: the data types and ranks") {
  test::Builder b;
  const MLOperand x = b.x({3, 4}), i = b.x({5, 2}, int32), u = b.x({5});
  b.refuses("scatterND [s]: the data type (uint64) of indices is not one of int32, uint32, int64.",
            [&] {
              b.scatterND(x, b.x({5, 2}, uint64), u, {.label = "s"});
            });
  b.refuses("scatterND: the data type (int32) of updates is not that of input (float32).",
            [&] { b.scatterND(x, i, b.x({5}, int32)); });
  b.refuses("scatterND: the rank (0) of input is less than 1.",
            [&] { b.scatterND(b.x({}), i, u); });
  b.refuses("scatterND: the rank (0) of indices is less than 1.",
            [&] { b.scatterND(x, b.x({}, int32), u); });
}

TEST_CASE("scatterND: the shapes") {
  test::Builder b;
  const MLOperand x = b.x({3, 4}), i = b.x({5, 2}, int32), u = b.x({5});
  CHECK(text(b.scatterND(x, i, u)) == "float32 [3, 4]");
  CHECK(text(b.scatterND(x, b.x({2}, int64), b.x({}))) == "float32 [3, 4]");
  CHECK(text(b.scatterND(x, b.x({7, 1}, uint32), b.x({7, 4}))) == "float32 [3, 4]");
  b.refuses(
      "scatterND [s]: the last dimension (3) of indices is greater than the rank (2) of input.",
      [&] {
        b.scatterND(x, b.x({5, 3}, int32), u, {.label = "s"});
      });
  b.refuses("scatterND: the shape ([4]) of updates is not [5].",
            [&] { b.scatterND(x, i, b.x({4})); });
  b.refuses("scatterND: the shape ([]) of updates is not [5].",
            [&] { b.scatterND(x, i, b.x({})); });
}
