// What split refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("split: the axis is below the rank") {
  test::Builder b;
  const MLOperand x = b.x({4, 6});
  b.refuses("split: the rank (0) of input is less than 1.", [&] { b.split(b.x({}), 1); });
  b.refuses("split [parts]: axis (2) is not less than the rank (2) of input.",
            [&] { b.split(x, 0, {.axis = 2, .label = "parts"}); });
}

TEST_CASE("split: 1 to 8192 parts") {
  test::Builder b;
  const MLOperand x = b.x({4, 6});
  CHECK(text(b.split(x, 1)) == "float32 [4, 6]");
  CHECK(text(b.split(x, 2)) == "float32 [2, 6]; float32 [2, 6]");
  CHECK(b.split(b.x({8192}), 8192).size() == 8192);
  b.refuses("split [parts]: the number (0) of splits is not between 1 and 8192.",
            [&] { b.split(x, 0, {.label = "parts"}); });
  b.refuses("split: the number (0) of splits is not between 1 and 8192.",
            [&] { b.split(x, Dims{}); });
  b.refuses("split: the number (16384) of splits is not between 1 and 8192.",
            [&] { b.split(b.x({16384}), 16384); });
}

TEST_CASE("split: the parts make up the axis") {
  test::Builder b;
  const MLOperand x = b.x({4, 6});
  CHECK(text(b.split(x, {1, 2, 3}, {.axis = 1})) ==
        "float32 [4, 1]; float32 [4, 2]; float32 [4, 3]");
  b.refuses("split [parts]: dimension 0 (4) of input is not divisible by splits (3).",
            [&] { b.split(x, 3, {.label = "parts"}); });
  b.refuses("split: splits[1] is zero.", [&] { b.split(x, {4, 0}); });
  b.refuses("split: the sum (5) of splits is not dimension 0 (4) of input.", [&] {
    b.split(x, {2, 3});
  });
  b.refuses("split: the sum (4294967300) of splits is not dimension 0 (4) of input.", [&] {
    b.split(x, {4294967295, 5});
  });
}
