// Automatic padding.
#include "tests/draft2023/compare.h"

using namespace webnn;
using draft2023::MLAutoPad;
using test::check_same;
using test::Operands;
using test::thrown;
using Draft = draft2023::MLGraphBuilder;

TEST_CASE("draft 2023: conv2d with automatic padding") {
  struct Case {
    MLAutoPad mode;
    Dims strides, dilations, padding;
  };
  const Case cases[] = {
      {MLAutoPad::explicit_, {1, 1}, {1, 1}, {3, 1, 0, 2}},  // what is given
      {MLAutoPad::same_upper, {1, 1}, {1, 1}, {1, 1, 0, 1}},
      {MLAutoPad::same_lower, {1, 1}, {1, 1}, {1, 1, 1, 0}},
      {MLAutoPad::same_upper, {2, 2}, {1, 1}, {1, 1, 0, 0}},  // 5 and 6 to 3 and 3
      {MLAutoPad::same_lower, {1, 3}, {2, 1}, {2, 2, 0, 0}},
      {MLAutoPad::same_upper, {4, 1}, {2, 3}, {2, 2, 1, 2}},
  };
  for (const Case& c : cases)
    check_same(
        {{1, 2, 5, 6}, {3, 2, 3, 2}},
        [&](Draft& b, const Operands& x) -> Operands {
          return {b.conv2d(x[0], x[1],
                           {.padding = {3, 1, 0, 2},
                            .strides = c.strides,
                            .dilations = c.dilations,
                            .autoPad = c.mode})};
        },
        [&](MLGraphBuilder& b, const Operands& x) -> Operands {
          return {b.conv2d(x[0], x[1],
                           {.padding = c.padding, .strides = c.strides, .dilations = c.dilations})};
        });
}

TEST_CASE("draft 2023: automatic padding gives ceil(in / stride)") {
  for (const auto mode : {MLAutoPad::same_upper, MLAutoPad::same_lower})
    for (std::uint32_t in = 1; in < 12; ++in)
      for (std::uint32_t window = 1; window < 5; ++window)
        for (std::uint32_t stride = 1; stride < 5; ++stride) {
          Draft b(test::plain_context());
          const MLOperand x = b.input("x", {.dimensions = {1, in, 7, 1}});
          const MLOperand f = b.input("f", {.dimensions = {1, window, 2, 1}});
          const Dims strides{stride, 1};
          const auto out = (in + stride - 1) / stride;
          const Dims expected{1, out, 7, 1};
          const auto nhwc = MLInputOperandLayout::nhwc;
          CHECK(b.conv2d(x, f,
                         {.strides = strides,
                          .autoPad = mode,
                          .inputLayout = nhwc,
                          .filterLayout = MLConv2dFilterOperandLayout::ohwi})
                    .shape() == expected);
          CHECK(b.maxPool2d(x, {.windowDimensions = {window, 2},
                                .strides = strides,
                                .autoPad = mode,
                                .layout = nhwc,
                                .roundingType = MLRoundingType::ceil})
                    .shape() == expected);
          CHECK(b.convTranspose2d(x, f,
                                  {.strides = strides,
                                   .autoPad = mode,
                                   .inputLayout = nhwc,
                                   .filterLayout = MLConvTranspose2dFilterOperandLayout::ohwi})
                    .shape() == Dims{1, in * stride, 7, 1});
        }
}

TEST_CASE("draft 2023: convTranspose2d with automatic padding") {
  const auto transposed = [](MLAutoPad mode, Dims output_padding, Dims padding, Dims sizes) {
    check_same(
        {{1, 2, 3, 4}, {2, 1, 5, 3}},
        [&](Draft& b, const Operands& x) -> Operands {
          return {b.convTranspose2d(
              x[0], x[1], {.strides = {2, 2}, .outputPadding = output_padding, .autoPad = mode})};
        },
        [&](MLGraphBuilder& b, const Operands& x) -> Operands {
          return {b.convTranspose2d(x[0], x[1],
                                    {.padding = padding, .strides = {2, 2}, .outputSizes = sizes})};
        });
  };
  transposed(MLAutoPad::same_upper, {0, 0}, {1, 2, 0, 1}, {6, 8});
  transposed(MLAutoPad::same_lower, {0, 0}, {2, 1, 1, 0}, {6, 8});
  transposed(MLAutoPad::same_upper, {1, 1}, {2, 2, 1, 1}, {6, 8});
  // A filter smaller than the stride leaves gaps, and rows at the end.
  check_same(
      {{1, 1, 2, 2}, {1, 1, 1, 1}},
      [](Draft& b, const Operands& x) -> Operands {
        return {
            b.convTranspose2d(x[0], x[1], {.strides = {3, 3}, .autoPad = MLAutoPad::same_upper})};
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return {b.convTranspose2d(x[0], x[1], {.strides = {3, 3}, .outputSizes = {6, 6}})};
      });
  check_same(
      {{1, 1, 2, 2}, {1, 1, 4, 4}},
      [](Draft& b, const Operands& x) -> Operands {
        return {b.convTranspose2d(
            x[0], x[1],
            {.strides = {2, 2}, .outputSizes = {5, 4}, .autoPad = MLAutoPad::same_upper})};
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return {b.convTranspose2d(
            x[0], x[1], {.padding = {0, 1, 1, 1}, .strides = {2, 2}, .outputSizes = {5, 4}})};
      });
}

TEST_CASE("draft 2023: pooling") {
  check_same(
      {{1, 2, 7, 5}},
      [](Draft& b, const Operands& x) -> Operands {
        return {b.averagePool2d(x[0], {.windowDimensions = {3, 3},
                                       .strides = {2, 2},
                                       .autoPad = MLAutoPad::same_upper}),
                b.l2Pool2d(x[0], {.windowDimensions = {2, 4},
                                  .strides = {3, 2},
                                  .autoPad = MLAutoPad::same_lower}),
                b.maxPool2d(x[0], {.windowDimensions = {2, 2},
                                   .strides = {2, 2},
                                   .roundingType = MLRoundingType::ceil}),
                b.maxPool2d(x[0], {.autoPad = MLAutoPad::same_upper})};
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return {b.averagePool2d(
                    x[0], {.windowDimensions = {3, 3}, .padding = {1, 1, 1, 1}, .strides = {2, 2}}),
                b.l2Pool2d(
                    x[0], {.windowDimensions = {2, 4}, .padding = {1, 0, 2, 1}, .strides = {3, 2}}),
                b.maxPool2d(x[0], {.windowDimensions = {2, 2},
                                   .strides = {2, 2},
                                   .outputShapeRounding = MLRoundingType::ceil}),
                b.maxPool2d(x[0], {.windowDimensions = {7, 5}, .padding = {3, 3, 2, 2}})};
      });
}

TEST_CASE("draft 2023: convolutions that are refused") {
  Draft b(test::plain_context());
  const MLOperand x = b.input("x", {.dimensions = {1, 2, 5, 5}});
  const MLOperand f = b.input("f", {.dimensions = {3, 2, 3, 3}});
  const auto upper = MLAutoPad::same_upper;
  CHECK(thrown([&] {
          b.conv2d(x, f, {.strides = {0, 1}, .autoPad = upper, .label = "c"});
        }) == "DataError conv2d [c]: strides[0] is zero.");
  CHECK(thrown([&] { b.conv2d(x, f, {.strides = {1}, .autoPad = upper}); }) ==
        "DataError conv2d: the length (1) of strides is not 2.");
  CHECK(thrown([&] {
          b.conv2d(x, f, {.dilations = {4294967295, 1}, .autoPad = upper});
        }) == "DataError conv2d: the automatic padding (8589934590) is greater than 2147483647.");
  CHECK(thrown([&] {
          b.maxPool2d(x, {.windowDimensions = {0, 1}, .autoPad = upper});
        }) == "DataError maxPool2d: windowDimensions[0] is zero.");
  CHECK(thrown([&] { b.convTranspose2d(x, f, {.outputPadding = {}, .autoPad = upper}); }) ==
        "DataError convTranspose2d: the length (0) of outputPadding is not 2.");
  CHECK(thrown([&] { b.conv2d(x, MLOperand(), {.autoPad = upper}); }) ==
        "DataError conv2d: filter is missing.");
  CHECK(thrown([&] { b.conv2d(MLOperand(), f, {.autoPad = upper}); }) ==
        "DataError conv2d: input is missing.");
}
