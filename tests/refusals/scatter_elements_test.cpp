// What scatterElements refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("scatterElements: the data types and ranks") {
  test::Builder b;
  const MLOperand x = b.x({3, 4}), i = b.x({3, 4}, int32);
  b.refuses(
      "scatterElements [s]: the data type (uint8) of indices is not one of int32, uint32, int64.",
      [&] {
        b.scatterElements(x, b.x({3, 4}, uint8), x, {.label = "s"});
      });
  b.refuses("scatterElements: the data type (float16) of updates is not that of input (float32).",
            [&] {
              b.scatterElements(x, i, b.x({3, 4}, float16));
            });
  b.refuses("scatterElements: the rank (0) of input is less than 1.",
            [&] { b.scatterElements(b.x({}), b.x({}, int32), b.x({})); });
  b.refuses("scatterElements: the rank (1) of indices is not that of input (2).",
            [&] { b.scatterElements(x, b.x({3}, int32), x); });
  b.refuses("scatterElements: the rank (1) of updates is not that of input (2).",
            [&] { b.scatterElements(x, i, b.x({3})); });
}

TEST_CASE("scatterElements: the shapes") {
  test::Builder b;
  const MLOperand x = b.x({3, 4}), i = b.x({2, 4}, int32), u = b.x({2, 4});
  CHECK(text(b.scatterElements(x, i, u)) == "float32 [3, 4]");
  b.refuses("scatterElements [s]: axis (2) is not less than the rank (2) of input.",
            [&] { b.scatterElements(x, i, u, {.axis = 2, .label = "s"}); });
  b.refuses("scatterElements: dimension 0 (2) of indices differs from that of input (3).",
            [&] { b.scatterElements(x, i, u, {.axis = 1}); });
  b.refuses("scatterElements: the shape ([3, 4]) of updates is not [2, 4].",
            [&] { b.scatterElements(x, i, x); });
}
