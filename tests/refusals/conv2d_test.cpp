// What conv2d refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("conv2d: the data types and ranks") {
  test::Builder b;
  const MLOperand x = b.x({1, 3, 5, 5}), f = b.x({4, 3, 3, 3}), half = b.x({4, 3, 3, 3}, float16);
  b.refuses(
      "conv2d [stem]: the data type (int8) of input is not one of float32, float16, bfloat16.",
      [&] {
        b.conv2d(b.x({1, 3, 5, 5}, int8), f, {.label = "stem"});
      });
  b.refuses("conv2d: the rank (3) of input is not 4.", [&] { b.conv2d(b.x({3, 5, 5}), f); });
  b.refuses("conv2d: the data type (float16) of filter is not that of input (float32).",
            [&] { b.conv2d(x, half); });
  b.refuses("conv2d: the rank (3) of filter is not 4.", [&] { b.conv2d(x, b.x({4, 3, 3})); });
  b.refuses("conv2d: the data type (float16) of bias is not that of input (float32).",
            [&] { b.conv2d(x, f, {.bias = b.x({4}, float16)}); });
  b.refuses("conv2d: the rank (2) of bias is not 1.", [&] {
    b.conv2d(x, f, {.bias = b.x({1, 4})});
  });
}

TEST_CASE("conv2d: padding, strides and dilations") {
  test::Builder b;
  const MLOperand x = b.x({1, 3, 5, 5}), f = b.x({4, 3, 3, 3});
  CHECK(text(b.conv2d(x, f, {.strides = {2, 2}})) == "float32 [1, 4, 2, 2]");
  CHECK(text(b.conv2d(x, f, {.padding = {1, 0, 2, 1}, .dilations = {2, 1}})) ==
        "float32 [1, 4, 2, 6]");
  b.refuses("conv2d [stem]: the length (2) of padding is not 4.", [&] {
    b.conv2d(x, f, {.padding = {1, 1}, .label = "stem"});
  });
  b.refuses("conv2d: the length (1) of strides is not 2.",
            [&] { b.conv2d(x, f, {.strides = {2}}); });
  b.refuses("conv2d: strides[0] is zero.", [&] {
    b.conv2d(x, f, {.strides = {0, 1}, .dilations = {}});
  });
  b.refuses("conv2d: the length (3) of dilations is not 2.", [&] {
    b.conv2d(x, f, {.dilations = {1, 1, 1}, .groups = 0});
  });
  b.refuses("conv2d: dilations[1] is zero.", [&] {
    b.conv2d(x, f, {.dilations = {1, 0}, .groups = 0});
  });
}

TEST_CASE("conv2d: groups and channels") {
  test::Builder b;
  const MLOperand x = b.x({1, 3, 5, 5}), x4 = b.x({1, 4, 5, 5}), f = b.x({4, 3, 3, 3});
  CHECK(text(b.conv2d(x4, b.x({4, 1, 3, 3}), {.groups = 4})) == "float32 [1, 4, 3, 3]");
  CHECK(text(b.conv2d(x4, b.x({8, 1, 3, 3}), {.groups = 4})) == "float32 [1, 8, 3, 3]");
  b.refuses("conv2d [stem]: groups is zero.",
            [&] { b.conv2d(x, f, {.groups = 0, .label = "stem"}); });
  b.refuses("conv2d: the channels (3) of input are not divisible by groups (2).",
            [&] { b.conv2d(x, f, {.groups = 2}); });
  b.refuses("conv2d: filter input channels (3) times groups (1) is not the channels (4) of input.",
            [&] { b.conv2d(x4, f); });
  b.refuses("conv2d: the output channels (3) of filter are not divisible by groups (2).", [&] {
    b.conv2d(x4, b.x({3, 2, 3, 3}), {.groups = 2});
  });
}

TEST_CASE("conv2d: bias has a value for each output channel") {
  test::Builder b;
  const MLOperand x = b.x({1, 3, 5, 5}), f = b.x({4, 3, 3, 3});
  CHECK(text(b.conv2d(x, f, {.bias = b.x({4})})) == "float32 [1, 4, 3, 3]");
  b.refuses("conv2d [stem]: the shape ([5]) of bias is not [4].",
            [&] { b.conv2d(x, f, {.bias = b.x({5}), .label = "stem"}); });
}

TEST_CASE("conv2d: the filter fits into the padded input") {
  test::Builder b;
  const MLOperand x = b.x({1, 1, 2, 2}), f = b.x({1, 1, 3, 3});
  CHECK(text(b.conv2d(x, f, {.padding = {1, 0, 0, 1}})) == "float32 [1, 1, 1, 1]");
  b.refuses(
      "conv2d [stem]: the filter ([3, 3]) with dilations ([1, 1]) is larger than the padded input "
      "([1, 1, 2, 2]).",
      [&] {
        b.conv2d(x, f, {.strides = {2, 2}, .label = "stem"});
      });
  b.refuses(
      "conv2d: the filter ([3, 3]) with dilations ([1, 1]) is larger than the padded input ([1, 1, "
      "2, 2]).",
      [&] {
        b.conv2d(x, f, {.padding = {1, 1, 0, 0}});
      });
  b.refuses(
      "conv2d: the filter ([3, 3]) with dilations ([4294967295, 1]) is larger than the padded "
      "input ([1, 1, 5, 5]).",
      [&] {
        b.conv2d(b.x({1, 1, 5, 5}), f, {.dilations = {4294967295, 1}});
      });
  b.refuses("conv2d: dimension 2 (8589934590) of output is not between 1 and 2147483647.", [&] {
    b.conv2d(x, f, {.padding = {4294967295, 4294967295, 1, 0}});
  });
}

TEST_CASE("conv2d: layouts") {
  test::Builder b;
  CHECK(text(b.conv2d(b.x({1, 5, 6, 3}), b.x({3, 2, 3, 4}),
                      {.inputLayout = MLInputOperandLayout::nhwc,
                       .filterLayout = MLConv2dFilterOperandLayout::hwio})) ==
        "float32 [1, 3, 5, 4]");
  CHECK(text(b.conv2d(b.x({1, 3, 5, 6}), b.x({4, 3, 2, 3}),
                      {.filterLayout = MLConv2dFilterOperandLayout::ohwi})) ==
        "float32 [1, 4, 3, 5]");
  CHECK(text(b.conv2d(b.x({1, 3, 5, 6}), b.x({3, 3, 2, 4}),
                      {.filterLayout = MLConv2dFilterOperandLayout::ihwo})) ==
        "float32 [1, 4, 3, 5]");
  b.refuses(
      "conv2d [c]: filter input channels (2) times groups (1) is not the channels (3) of input.",
      [&] {
        b.conv2d(b.x({1, 5, 6, 3}), b.x({3, 2, 3, 4}),
                 {.inputLayout = MLInputOperandLayout::nhwc, .label = "c"});
      });
}
