// What batchNormalization refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("batchNormalization: the data types") {
  test::Builder b;
  const MLOperand x = b.x({2, 3}), c = b.x({3}), half = b.x({3}, float16), i = b.x({2, 3}, int32);
  b.refuses(
      "batchNormalization [bn]: the data type (int32) of input is not one of float32, float16, "
      "bfloat16.",
      [&] { b.batchNormalization(i, c, c, {.label = "bn"}); });
  b.refuses("batchNormalization: the data type (float16) of mean is not that of input (float32).",
            [&] { b.batchNormalization(x, half, c); });
  b.refuses(
      "batchNormalization: the data type (float16) of variance is not that of input (float32).",
      [&] { b.batchNormalization(x, c, half); });
  b.refuses("batchNormalization: the data type (float16) of scale is not that of input (float32).",
            [&] { b.batchNormalization(x, c, c, {.scale = half}); });
  b.refuses("batchNormalization: the data type (float16) of bias is not that of input (float32).",
            [&] { b.batchNormalization(x, c, c, {.bias = half}); });
}

TEST_CASE("batchNormalization: the axis is below the rank") {
  test::Builder b;
  const MLOperand x = b.x({3}), c = b.x({3}), wide = b.x({4});
  CHECK(text(b.batchNormalization(x, c, c, {.axis = 0})) == "float32 [3]");
  b.refuses("batchNormalization [bn]: axis (1) is not less than the rank (1) of input.",
            [&] { b.batchNormalization(x, c, c, {.label = "bn"}); });
  b.refuses("batchNormalization: axis (7) is not less than the rank (1) of input.",
            [&] { b.batchNormalization(x, wide, wide, {.axis = 7}); });
  b.refuses("batchNormalization: the rank (0) of input is less than 1.",
            [&] { b.batchNormalization(b.x({}), c, c, {.axis = 0}); });
}

TEST_CASE("batchNormalization: one value for each channel") {
  test::Builder b;
  const MLOperand x = b.x({2, 4, 5}), c = b.x({4}), d = b.x({5}), m = b.x({1, 4});
  CHECK(text(b.batchNormalization(x, c, c, {.bias = c})) == "float32 [2, 4, 5]");
  CHECK(text(b.batchNormalization(x, d, d, {.scale = d, .axis = 2})) == "float32 [2, 4, 5]");
  b.refuses("batchNormalization: the rank (2) of mean is not 1.",
            [&] { b.batchNormalization(x, m, c); });
  b.refuses("batchNormalization [bn]: the shape ([5]) of mean is not [4].",
            [&] { b.batchNormalization(x, d, d, {.label = "bn"}); });
  b.refuses("batchNormalization: the shape ([5]) of variance is not [4].",
            [&] { b.batchNormalization(x, c, d, {.scale = d}); });
  b.refuses("batchNormalization: the shape ([5]) of scale is not [4].",
            [&] { b.batchNormalization(x, c, c, {.scale = d, .bias = d}); });
  b.refuses("batchNormalization: the shape ([5]) of bias is not [4].",
            [&] { b.batchNormalization(x, c, c, {.bias = d}); });
}

TEST_CASE("batchNormalization: epsilon is finite and not negative") {
  test::Builder b;
  const MLOperand x = b.x({2, 3}), c = b.x({3});
  b.refuses("batchNormalization: epsilon (-1) is negative.",
            [&] { b.batchNormalization(x, c, c, {.epsilon = -1}); });
  b.refuses("batchNormalization [bn]: epsilon (nan) is not finite.",
            [&] { b.batchNormalization(x, c, c, {.epsilon = NAN, .label = "bn"}); });
  b.refuses("batchNormalization: epsilon (inf) is not finite.",
            [&] { b.batchNormalization(x, c, c, {.epsilon = INFINITY}); });
}
