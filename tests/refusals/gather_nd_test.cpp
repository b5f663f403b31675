// What gatherND refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("gatherND: indices are int32, uint32 or int64 and not a scalar") {
  test::Builder b;
  const MLOperand x = b.x({3, 4});
  b.refuses("gatherND [g]: the data type (int8) of indices is not one of int32, uint32, int64.",
            [&] { b.gatherND(x, b.x({2}, int8), {.label = "g"}); });
  b.refuses("gatherND: the rank (0) of indices is less than 1.",
            [&] { b.gatherND(x, b.x({}, int32)); });
  b.refuses("gatherND: the rank (0) of input is less than 1.",
            [&] { b.gatherND(b.x({}), b.x({1}, int32)); });
}

TEST_CASE("gatherND: no more coordinates than dimensions") {
  test::Builder b;
  const MLOperand x = b.x({3, 4});
  CHECK(text(b.gatherND(x, b.x({7, 2}, int32))) == "float32 [7]");
  CHECK(text(b.gatherND(x, b.x({2}, int32))) == "float32 []");
  CHECK(text(b.gatherND(x, b.x({5, 1}, int32))) == "float32 [5, 4]");
  b.refuses(
      "gatherND [g]: the last dimension (3) of indices is greater than the rank (2) of input.",
      [&] {
        b.gatherND(x, b.x({7, 3}, int32), {.label = "g"});
      });
}
