// What pad refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("pad: a beginning and an ending for each dimension") {
  test::Builder b;
  const MLOperand x = b.x({3, 4});
  CHECK(text(b.pad(x, {1, 0}, {0, 100})) == "float32 [4, 104]");
  CHECK(text(b.pad(b.x({}, int8), {}, {})) == "int8 []");
  b.refuses("pad [p]: the length (1) of beginningPadding is not 2.", [&] {
    b.pad(x, {1}, {1, 1}, {.label = "p"});
  });
  b.refuses("pad: the length (0) of endingPadding is not 2.", [&] { b.pad(x, {1, 1}, {}); });
}

TEST_CASE("pad: reflection repeats no more than there is") {
  test::Builder b;
  const MLOperand x = b.x({3, 4});
  CHECK(text(b.pad(x, {2, 3}, {2, 3}, {.mode = MLPaddingMode::reflection})) == "float32 [7, 10]");
  CHECK(text(b.pad(x, {9, 9}, {9, 9}, {.mode = MLPaddingMode::edge})) == "float32 [21, 22]");
  b.refuses(
      "pad [p]: beginningPadding[0] (3) is not less than dimension 0 (3) of input, as reflection "
      "needs.",
      [&] {
        b.pad(x, {3, 0}, {9, 0}, {.mode = MLPaddingMode::reflection, .label = "p"});
      });
  b.refuses(
      "pad: endingPadding[1] (4) is not less than dimension 1 (4) of input, as reflection needs.",
      [&] {
        b.pad(x, {2, 0}, {0, 4}, {.mode = MLPaddingMode::reflection});
      });
}

TEST_CASE("pad: the result is a tensor") {
  test::Builder b;
  b.refuses("pad [p]: dimension 0 (8589934593) of output is not between 1 and 2147483647.",
            [&] { b.pad(b.x({3}), {4294967295}, {4294967295}, {.label = "p"}); });
}
