// What convTranspose2d refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("convTranspose2d: the data types and ranks") {
  test::Builder b;
  const MLOperand x = b.x({1, 3, 5, 5}), f = b.x({3, 4, 3, 3});
  b.refuses(
      "convTranspose2d [up]: the data type (int32) of input is not one of float32, float16, "
      "bfloat16.",
      [&] {
        b.convTranspose2d(b.x({1, 3, 5, 5}, int32), f, {.label = "up"});
      });
  b.refuses("convTranspose2d: the rank (3) of input is not 4.", [&] {
    b.convTranspose2d(b.x({1, 3, 5}), f);
  });
  b.refuses("convTranspose2d: the rank (3) of filter is not 4.", [&] {
    b.convTranspose2d(x, b.x({3, 4, 3}));
  });
  b.refuses("convTranspose2d: the data type (float16) of filter is not that of input (float32).",
            [&] {
              b.convTranspose2d(x, b.x({3, 4, 3, 3}, float16));
            });
  b.refuses("convTranspose2d: the data type (float16) of bias is not that of input (float32).",
            [&] { b.convTranspose2d(x, f, {.bias = b.x({4}, float16)}); });
}

TEST_CASE("convTranspose2d: padding, strides and dilations") {
  test::Builder b;
  const MLOperand x = b.x({1, 3, 5, 5}), f = b.x({3, 4, 3, 3});
  CHECK(text(b.convTranspose2d(x, f, {.strides = {2, 1}})) == "float32 [1, 4, 11, 7]");
  b.refuses("convTranspose2d [up]: the length (0) of padding is not 4.",
            [&] { b.convTranspose2d(x, f, {.padding = {}, .label = "up"}); });
  b.refuses("convTranspose2d: the length (1) of strides is not 2.",
            [&] { b.convTranspose2d(x, f, {.strides = {1}}); });
  b.refuses("convTranspose2d: strides[1] is zero.", [&] {
    b.convTranspose2d(x, f, {.strides = {1, 0}});
  });
  b.refuses("convTranspose2d: the length (1) of dilations is not 2.",
            [&] { b.convTranspose2d(x, f, {.dilations = {1}}); });
  b.refuses("convTranspose2d: dilations[0] is zero.", [&] {
    b.convTranspose2d(x, f, {.dilations = {0, 1}, .outputPadding = {}});
  });
}

TEST_CASE("convTranspose2d: outputPadding is less than the stride") {
  test::Builder b;
  const MLOperand x = b.x({1, 3, 5, 5}), f = b.x({3, 4, 3, 3});
  CHECK(text(b.convTranspose2d(x, f, {.strides = {2, 2}, .outputPadding = {1, 0}})) ==
        "float32 [1, 4, 12, 11]");
  CHECK(text(b.convTranspose2d(x, f, {.outputPadding = {5, 5}, .outputSizes = {7, 7}})) ==
        "float32 [1, 4, 7, 7]");
  b.refuses("convTranspose2d [up]: the length (1) of outputPadding is not 2.",
            [&] { b.convTranspose2d(x, f, {.outputPadding = {0}, .label = "up"}); });
  b.refuses("convTranspose2d: outputPadding[1] (2) is not less than strides[1] (2).", [&] {
    b.convTranspose2d(x, f, {.strides = {2, 2}, .outputPadding = {0, 2}});
  });
  b.refuses("convTranspose2d: outputPadding[0] (1) is not less than strides[0] (1).", [&] {
    b.convTranspose2d(x, f, {.outputPadding = {1, 0}, .groups = 0});
  });
}

TEST_CASE("convTranspose2d: groups and channels") {
  test::Builder b;
  const MLOperand x = b.x({1, 3, 5, 5}), f = b.x({3, 4, 3, 3});
  CHECK(text(b.convTranspose2d(x, f, {.groups = 3})) == "float32 [1, 12, 7, 7]");
  b.refuses("convTranspose2d [up]: groups is zero.",
            [&] { b.convTranspose2d(x, f, {.groups = 0, .label = "up"}); });
  b.refuses("convTranspose2d: the input channels (3) of filter are not the channels (4) of input.",
            [&] {
              b.convTranspose2d(b.x({1, 4, 5, 5}), f, {.groups = 3});
            });
  b.refuses("convTranspose2d: the channels (3) of input are not divisible by groups (2).",
            [&] { b.convTranspose2d(x, f, {.groups = 2}); });
  b.refuses("convTranspose2d [up]: the shape ([3]) of bias is not [4].",
            [&] { b.convTranspose2d(x, f, {.bias = b.x({3}), .label = "up"}); });
}

TEST_CASE("convTranspose2d: outputSizes is one that an outputPadding gives") {
  test::Builder b;
  const MLOperand x = b.x({1, 3, 5, 5}), f = b.x({3, 4, 3, 3});
  CHECK(text(b.convTranspose2d(x, f, {.strides = {3, 3}, .outputSizes = {15, 15}})) ==
        "float32 [1, 4, 15, 15]");
  CHECK(text(b.convTranspose2d(x, f, {.strides = {3, 3}, .outputSizes = {17, 15}})) ==
        "float32 [1, 4, 17, 15]");
  b.refuses("convTranspose2d [up]: the length (1) of outputSizes is not 2.",
            [&] { b.convTranspose2d(x, f, {.outputSizes = {7}, .label = "up"}); });
  b.refuses("convTranspose2d: outputSizes[0] (14) plus padding (0) is not between 15 and 17.", [&] {
    b.convTranspose2d(x, f, {.strides = {3, 3}, .outputSizes = {14, 15}});
  });
  b.refuses("convTranspose2d: outputSizes[1] (16) plus padding (2) is not between 15 and 17.", [&] {
    b.convTranspose2d(x, f, {.padding = {0, 0, 1, 1}, .strides = {3, 3}, .outputSizes = {15, 16}});
  });
}

TEST_CASE("convTranspose2d: padding leaves something") {
  test::Builder b;
  const MLOperand x = b.x({1, 1, 1, 2}), f = b.x({1, 1, 3, 3});
  CHECK(text(b.convTranspose2d(x, f, {.padding = {1, 1, 2, 1}})) == "float32 [1, 1, 1, 1]");
  b.refuses("convTranspose2d [up]: the padding (3) leaves nothing of the height (3).", [&] {
    b.convTranspose2d(x, f, {.padding = {2, 1, 0, 0}, .label = "up"});
  });
  b.refuses("convTranspose2d: the padding (8589934590) leaves nothing of the width (4).", [&] {
    b.convTranspose2d(x, f, {.padding = {0, 0, 4294967295, 4294967295}});
  });
  b.refuses("convTranspose2d: outputSizes[0] (0) plus padding (2) is not between 3 and 3.", [&] {
    b.convTranspose2d(x, f, {.padding = {1, 1, 1, 0}, .outputSizes = {0, 3}});
  });
  b.refuses("convTranspose2d: dimension 3 (4294967298) of output is not between 1 and 2147483647.",
            [&] {
              b.convTranspose2d(x, f, {.strides = {1, 4294967295}});
            });
}
