// What the pooling operators refuse, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("pool2d: the data types and ranks") {
  test::Builder b;
  CHECK(text(b.maxPool2d(b.x({1, 2, 3, 4}, int8))) == "int8 [1, 2, 1, 1]");
  b.refuses(
      "averagePool2d [p]: the data type (int32) of input is not one of float32, float16, bfloat16.",
      [&] {
        b.averagePool2d(b.x({1, 2, 3, 4}, int32), {.label = "p"});
      });
  b.refuses("l2Pool2d: the data type (uint8) of input is not one of float32, float16, bfloat16.",
            [&] {
              b.l2Pool2d(b.x({1, 2, 3, 4}, uint8));
            });
  b.refuses("maxPool2d: the rank (3) of input is not 4.", [&] { b.maxPool2d(b.x({2, 3, 4})); });
}

TEST_CASE("pool2d: windowDimensions, padding, strides and dilations") {
  test::Builder b;
  const MLOperand x = b.x({1, 2, 5, 5});
  CHECK(text(b.averagePool2d(x, {.layout = MLInputOperandLayout::nhwc})) == "float32 [1, 1, 1, 5]");
  b.refuses("averagePool2d [p]: the length (1) of windowDimensions is not 2.",
            [&] { b.averagePool2d(x, {.windowDimensions = {2}, .padding = {}, .label = "p"}); });
  b.refuses("maxPool2d: windowDimensions[1] is zero.", [&] {
    b.maxPool2d(x, {.windowDimensions = {2, 0}});
  });
  b.refuses("l2Pool2d: the length (2) of padding is not 4.", [&] {
    b.l2Pool2d(x, {.padding = {1, 1}, .strides = {}});
  });
  b.refuses("maxPool2d: the length (1) of strides is not 2.",
            [&] { b.maxPool2d(x, {.strides = {1}, .outputSizes = {}}); });
  b.refuses("maxPool2d: strides[0] is zero.", [&] { b.maxPool2d(x, {.strides = {0, 1}}); });
  b.refuses("maxPool2d: the length (1) of outputSizes is not 2.", [&] {
    b.maxPool2d(x, {.dilations = {0, 1}, .outputSizes = {1}});
  });
  b.refuses("maxPool2d: the length (1) of dilations is not 2.",
            [&] { b.maxPool2d(x, {.dilations = {1}}); });
  b.refuses("maxPool2d: dilations[1] is zero.", [&] { b.maxPool2d(x, {.dilations = {1, 0}}); });
}

TEST_CASE("pool2d: outputSizes rounds both sizes alike") {
  test::Builder b;
  const MLOperand x = b.x({1, 1, 5, 5});
  CHECK(text(b.maxPool2d(x, {.windowDimensions = {3, 3},
                             .padding = {1, 0, 0, 1},
                             .strides = {2, 2},
                             .outputSizes = {2, 2}})) == "float32 [1, 1, 2, 2]");
  CHECK(text(b.maxPool2d(x, {.windowDimensions = {3, 3},
                             .padding = {1, 0, 0, 1},
                             .strides = {2, 2},
                             .outputSizes = {3, 3}})) == "float32 [1, 1, 3, 3]");
  CHECK(text(b.maxPool2d(x, {.windowDimensions = {3, 3},
                             .padding = {1, 0, 0, 1},
                             .strides = {2, 2},
                             .outputShapeRounding = MLRoundingType::ceil,
                             .outputSizes = {2, 2}})) == "float32 [1, 1, 2, 2]");
  b.refuses("averagePool2d [p]: outputSizes ([2, 3]) is neither [2, 2] (floor) nor [3, 3] (ceil).",
            [&] {
              b.averagePool2d(x, {.windowDimensions = {3, 3},
                                  .padding = {1, 0, 0, 1},
                                  .strides = {2, 2},
                                  .outputSizes = {2, 3},
                                  .label = "p"});
            });
}

TEST_CASE("pool2d: the window fits into the padded input") {
  test::Builder b;
  const MLOperand x = b.x({1, 1, 2, 2});
  CHECK(text(b.maxPool2d(x, {.windowDimensions = {3, 3}, .padding = {1, 0, 1, 0}})) ==
        "float32 [1, 1, 1, 1]");
  b.refuses(
      "maxPool2d [p]: the window ([3, 2]) with dilations ([1, 1]) is larger than the padded input.",
      [&] {
        b.maxPool2d(x, {.windowDimensions = {3, 2}, .strides = {2, 2}, .label = "p"});
      });
  b.refuses(
      "l2Pool2d: the window ([2, 2]) with dilations ([1, 2]) is larger than the padded input.",
      [&] {
        b.l2Pool2d(x, {.windowDimensions = {2, 2}, .dilations = {1, 2}});
      });
  b.refuses("maxPool2d: dimension 2 (4294967297) of output is not between 1 and 2147483647.", [&] {
    b.maxPool2d(x, {.windowDimensions = {1, 1}, .padding = {4294967295, 0, 0, 0}});
  });
}
