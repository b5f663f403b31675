// What gatherElements refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("gatherElements: indices are int32, uint32 or int64") {
  test::Builder b;
  b.refuses(
      "gatherElements [g]: the data type (uint64) of indices is not one of int32, uint32, int64.",
      [&] { b.gatherElements(b.x({2}), b.x({2}, uint64), {.label = "g"}); });
}

TEST_CASE("gatherElements: indices have the rank of input and its sizes but on the axis") {
  test::Builder b;
  const MLOperand x = b.x({3, 4}), i = b.x({3, 4}, int32);
  CHECK(text(b.gatherElements(x, b.x({9, 4}, uint32))) == "float32 [9, 4]");
  b.refuses("gatherElements: the rank (0) of input is less than 1.",
            [&] { b.gatherElements(b.x({}), b.x({}, int32)); });
  b.refuses("gatherElements: the rank (1) of indices is not that of input (2).",
            [&] { b.gatherElements(x, b.x({3}, int32)); });
  b.refuses("gatherElements [g]: axis (2) is not less than the rank (2) of input.",
            [&] { b.gatherElements(x, i, {.axis = 2, .label = "g"}); });
  b.refuses("gatherElements: dimension 1 (5) of indices differs from that of input (4).", [&] {
    b.gatherElements(x, b.x({3, 5}, int32));
  });
  b.refuses("gatherElements: dimension 0 (4) of indices differs from that of input (3).", [&] {
    b.gatherElements(x, b.x({4, 4}, int32), {.axis = 1});
  });
}
