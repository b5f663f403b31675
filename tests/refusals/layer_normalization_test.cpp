// What layerNormalization refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("layerNormalization: the data types") {
  test::Builder b;
  const MLOperand x = b.x({2, 3});
  b.refuses(
      "layerNormalization [ln]: the data type (int8) of input is not one of float32, float16, "
      "bfloat16.",
      [&] {
        b.layerNormalization(b.x({2, 3}, int8), {.label = "ln"});
      });
  b.refuses("layerNormalization: the data type (float16) of scale is not that of input (float32).",
            [&] { b.layerNormalization(x, {.scale = b.x({3}, float16)}); });
  b.refuses("layerNormalization: the data type (float16) of bias is not that of input (float32).",
            [&] { b.layerNormalization(x, {.bias = b.x({3}, float16)}); });
}

TEST_CASE("layerNormalization: the axes are below the rank and distinct") {
  test::Builder b;
  const MLOperand x = b.x({2, 3, 4});
  CHECK(text(b.layerNormalization(x, {.axes = {2, 0}})) == "float32 [2, 3, 4]");
  CHECK(text(b.layerNormalization(b.x({}))) == "float32 []");
  b.refuses("layerNormalization [ln]: axes[1] (3) is not less than the rank (3) of input.", [&] {
    b.layerNormalization(x, {.axes = {1, 3}, .label = "ln"});
  });
  b.refuses("layerNormalization: axes[1] (1) occurs twice.", [&] {
    b.layerNormalization(x, {.axes = {1, 1}});
  });
}

TEST_CASE("layerNormalization: scale and bias have the sizes of the axes, in their order") {
  test::Builder b;
  const MLOperand x = b.x({2, 3, 4}), s = b.x({3, 4}), t = b.x({4, 3}), scalar = b.x({});
  CHECK(text(b.layerNormalization(x, {.scale = s, .bias = s})) == "float32 [2, 3, 4]");
  CHECK(text(b.layerNormalization(x, {.scale = t, .axes = {2, 1}})) == "float32 [2, 3, 4]");
  CHECK(text(b.layerNormalization(x, {.bias = scalar, .axes = {}})) == "float32 [2, 3, 4]");
  b.refuses("layerNormalization [ln]: the rank (0) of scale is not the number (2) of axes.",
            [&] { b.layerNormalization(x, {.scale = scalar, .bias = t, .label = "ln"}); });
  b.refuses("layerNormalization: the rank (0) of bias is not the number (2) of axes.",
            [&] { b.layerNormalization(x, {.scale = t, .bias = scalar}); });
  b.refuses("layerNormalization: the shape ([4, 3]) of scale is not [3, 4].",
            [&] { b.layerNormalization(x, {.scale = t}); });
  b.refuses("layerNormalization: the shape ([3, 4]) of bias is not [4, 3].", [&] {
    b.layerNormalization(x, {.bias = s, .axes = {2, 1}});
  });
}

TEST_CASE("layerNormalization: epsilon is finite and not negative") {
  test::Builder b;
  b.refuses("layerNormalization: epsilon (-1) is negative.", [&] {
    b.layerNormalization(b.x({2, 3}), {.epsilon = -1});
  });
  b.refuses("layerNormalization [ln]: epsilon (nan) is not finite.", [&] {
    b.layerNormalization(b.x({2, 3}), {.epsilon = NAN, .label = "ln"});
  });
}
