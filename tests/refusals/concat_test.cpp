// What concat refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("concat: 1 to 8192 inputs") {
  test::Builder b;
  const MLOperand x = b.x({2, 3});
  CHECK(text(b.concat({x}, 0)) == "float32 [2, 3]");
  CHECK(text(b.concat(std::vector<MLOperand>(8192, x), 1)) == "float32 [2, 24576]");
  b.refuses("concat [all]: the number (0) of inputs is not between 1 and 8192.",
            [&] { b.concat({}, 0, {.label = "all"}); });
  b.refuses("concat: the number (8193) of inputs is not between 1 and 8192.",
            [&] { b.concat(std::vector<MLOperand>(8193, x), 9); });
}

TEST_CASE("concat: the axis is below the rank") {
  test::Builder b;
  const MLOperand x = b.x({2, 3}), scalar = b.x({});
  b.refuses("concat: the rank (0) of inputs[0] is less than 1.", [&] {
    b.concat({scalar, scalar}, 0);
  });
  b.refuses("concat [all]: axis (2) is not less than the rank (2) of inputs[0].", [&] {
    b.concat({x, x}, 2, {.label = "all"});
  });
}

TEST_CASE("concat: the inputs fit together") {
  test::Builder b;
  const MLOperand x = b.x({2, 3}), y = b.x({3, 3});
  CHECK(text(b.concat({x, y, x}, 0)) == "float32 [7, 3]");
  b.refuses("concat: the data type (float16) of inputs[1] is not that of inputs[0] (float32).",
            [&] {
              b.concat({x, b.x({2, 3}, float16)}, 0);
            });
  b.refuses("concat: the rank (1) of inputs[2] is not that of inputs[0] (2).", [&] {
    b.concat({x, x, b.x({2})}, 0);
  });
  b.refuses("concat [all]: dimension 0 (3) of inputs[2] differs from that of inputs[0] (2).", [&] {
    b.concat({x, x, y}, 1, {.label = "all"});
  });
}

TEST_CASE("concat: the result is a tensor") {
  test::Builder b;
  const MLOperand x = b.x({1u << 30}, uint8);
  b.refuses("concat [all]: dimension 0 (2147483648) of output is not between 1 and 2147483647.",
            [&] {
              b.concat({x, x}, 0, {.label = "all"});
            });
}
