// What instanceNormalization refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("instanceNormalization: the data types and ranks") {
  test::Builder b;
  const MLOperand x = b.x({2, 3, 4, 5}), c = b.x({3});
  b.refuses(
      "instanceNormalization [n]: the data type (int32) of input is not one of float32, float16, "
      "bfloat16.",
      [&] {
        b.instanceNormalization(b.x({2, 3, 4, 5}, int32), {.label = "n"});
      });
  b.refuses("instanceNormalization: the rank (3) of input is not 4.", [&] {
    b.instanceNormalization(b.x({2, 3, 4}));
  });
  b.refuses(
      "instanceNormalization: the data type (float16) of scale is not that of input (float32).",
      [&] { b.instanceNormalization(x, {.scale = b.x({3}, float16)}); });
  b.refuses("instanceNormalization: the rank (2) of bias is not 1.", [&] {
    b.instanceNormalization(x, {.bias = b.x({1, 3})});
  });
}

TEST_CASE("instanceNormalization: scale and bias have a value for each channel") {
  test::Builder b;
  const MLOperand x = b.x({2, 3, 4, 5}), c = b.x({3}), d = b.x({5});
  CHECK(text(b.instanceNormalization(x, {.scale = c, .bias = c})) == "float32 [2, 3, 4, 5]");
  CHECK(text(b.instanceNormalization(x, {.scale = d, .layout = MLInputOperandLayout::nhwc})) ==
        "float32 [2, 3, 4, 5]");
  b.refuses("instanceNormalization [n]: the shape ([5]) of scale is not [3].",
            [&] { b.instanceNormalization(x, {.scale = d, .bias = d, .label = "n"}); });
  b.refuses("instanceNormalization: the shape ([3]) of bias is not [5].",
            [&] { b.instanceNormalization(x, {.bias = c, .layout = MLInputOperandLayout::nhwc}); });
}

TEST_CASE("instanceNormalization: epsilon is finite and not negative") {
  test::Builder b;
  b.refuses("instanceNormalization: epsilon (-1) is negative.", [&] {
    b.instanceNormalization(b.x({2, 3, 4, 5}), {.epsilon = -1});
  });
  b.refuses("instanceNormalization [n]: epsilon (inf) is not finite.", [&] {
    b.instanceNormalization(b.x({2, 3, 4, 5}), {.epsilon = INFINITY, .label = "n"});
  });
}
