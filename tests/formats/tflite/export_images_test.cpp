#include "tests/formats/tflite/exported.h"
#include "tests/support/filter_layout.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using B = MLGraphBuilder;
using Layout = MLInputOperandLayout;
using FilterLayout = MLConv2dFilterOperandLayout;
using TransposeLayout = MLConvTranspose2dFilterOperandLayout;

Dims image(Layout layout, std::uint32_t n, std::uint32_t c, std::uint32_t h, std::uint32_t w) {
  return layout == Layout::nchw ? Dims{n, c, h, w} : Dims{n, h, w, c};
}

// Sums of some products of the order of 1, in another order.
constexpr Tolerance sums{.absolute = 2e-5};

}  // namespace

TEST_CASE("exported: conv2d in all layouts, with all paddings") {
  Random r(1);
  for (const auto layout : {Layout::nchw, Layout::nhwc})
    for (const auto fl :
         {FilterLayout::oihw, FilterLayout::hwio, FilterLayout::ohwi, FilterLayout::ihwo})
      for (const Dims& padding :
           {Dims{0, 0, 0, 0}, Dims{1, 1, 1, 1}, Dims{0, 1, 0, 1}, Dims{2, 0, 1, 3}})
        for (const bool constant : {true, false}) {
          MLConv2dOptions o{
              .padding = padding, .strides = {2, 1}, .inputLayout = layout, .filterLayout = fl};
          check_exported({[=](B& b, Build::Operands x) {
                            MLConv2dOptions with = o;
                            with.bias = x[2];
                            return b.conv2d(x[0], x[1], with);
                          },
                          {r.tensor(float32, image(layout, 2, 3, 8, 7)),
                           r.tensor(float32, in_layout(fl, 4, 3, 3, 2)), r.tensor(float32, {4})},
                          sums,
                          constant ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{}});
        }
}

TEST_CASE("exported: conv2d: SAME, VALID, depthwise, groups, dilations") {
  Random r(2);
  const auto run = [&](MLConv2dOptions o, Dims in, Dims f) {
    return check_exported({[=](B& b, Build::Operands x) { return b.conv2d(x[0], x[1], o); },
                           {r.tensor(float32, in), r.tensor(float32, f)},
                           sums,
                           {1}});
  };
  MLConv2dOptions o{.inputLayout = Layout::nhwc, .filterLayout = FilterLayout::ohwi};
  CHECK(run(o, {1, 8, 8, 3}, {4, 3, 3, 3}) == "CONV_2D");
  o.padding = {1, 1, 1, 1};
  CHECK(run(o, {1, 8, 8, 3}, {4, 3, 3, 3}) == "CONV_2D");
  o.padding = {0, 1, 0, 1}, o.strides = {2, 2};
  CHECK(run(o, {1, 8, 8, 3}, {4, 3, 3, 3}) == "CONV_2D");
  o.padding = {1, 1, 1, 1};
  CHECK(run(o, {1, 8, 8, 3}, {4, 3, 3, 3}) == "PAD CONV_2D");
  o.padding = {2, 2, 2, 2}, o.strides = {1, 1}, o.dilations = {2, 2};
  CHECK(run(o, {1, 9, 8, 3}, {4, 3, 3, 3}) == "CONV_2D");
  o.dilations = {1, 1}, o.padding = {1, 1, 1, 1}, o.groups = 4;
  for (const auto fl :
       {FilterLayout::oihw, FilterLayout::hwio, FilterLayout::ohwi, FilterLayout::ihwo}) {
    o.filterLayout = fl;
    CHECK(run(o, {2, 6, 5, 4}, in_layout(fl, 4, 1, 3, 3)) == "DEPTHWISE_CONV_2D");
    CHECK(run(o, {1, 6, 5, 4}, in_layout(fl, 12, 1, 3, 3)) == "DEPTHWISE_CONV_2D");
    run(o, {1, 6, 5, 8}, in_layout(fl, 12, 2, 3, 3));
  }
  o.dilations = {2, 1}, o.padding = {0, 0, 0, 0};
  CHECK(run(o, {2, 6, 5, 4}, in_layout(FilterLayout::ihwo, 4, 1, 3, 3)) == "DEPTHWISE_CONV_2D");
}

TEST_CASE("exported: transpositions of NCHW meet and disappear") {
  Random r(3);
  const std::string operators = check_exported(
      {[](B& b, Build::Operands x) {
         const MLOperand h = b.relu(b.conv2d(x[0], x[1], {.padding = {1, 1, 1, 1}, .bias = x[2]}));
         const MLOperand y = b.add(b.conv2d(h, x[3], {.padding = {1, 1, 1, 1}}), h);
         return b.maxPool2d(b.clamp(y, {.minValue = 0, .maxValue = 6}),
                            {.windowDimensions = {2, 2}, .strides = {2, 2}});
       },
       {r.tensor(float32, {1, 3, 8, 8}), r.tensor(float32, {4, 3, 3, 3}), r.tensor(float32, {4}),
        r.tensor(float32, {4, 4, 3, 3})},
       sums,
       {1, 2, 3}});
  CHECK(operators == "TRANSPOSE CONV_2D CONV_2D ADD MAX_POOL_2D TRANSPOSE");
}

TEST_CASE("exported: convTranspose2d") {
  Random r(4);
  const auto run = [&](MLConvTranspose2dOptions o, Dims in, Dims f, std::uint32_t bias) {
    return check_exported(
        {[=](B& b, Build::Operands x) {
           MLConvTranspose2dOptions with = o;
           if (bias) with.bias = x[2];
           return b.convTranspose2d(x[0], x[1], with);
         },
         {r.tensor(float32, in), r.tensor(float32, f), r.tensor(float32, {std::max(bias, 1u)})},
         sums,
         {1, 2}});
  };
  MLConvTranspose2dOptions o{.inputLayout = Layout::nhwc, .filterLayout = TransposeLayout::ohwi};
  CHECK(run(o, {1, 4, 5, 3}, {2, 3, 3, 3}, 2) == "TRANSPOSE_CONV");
  o.strides = {2, 2};
  run(o, {1, 4, 5, 3}, {2, 3, 3, 3}, 0);
  o.outputPadding = {1, 0};
  run(o, {1, 4, 5, 3}, {2, 3, 3, 3}, 0);
  o.outputPadding = {1, 1}, o.padding = {1, 1, 1, 1};
  run(o, {1, 4, 5, 3}, {2, 3, 3, 3}, 2);
  o.outputPadding = {0, 0}, o.padding = {0, 1, 0, 1};
  CHECK(run(o, {1, 4, 5, 3}, {2, 3, 3, 3}, 2) == "TRANSPOSE_CONV");
  o.padding = {1, 0, 2, 1};
  run(o, {2, 4, 5, 3}, {2, 3, 4, 3}, 2);
  o.dilations = {2, 3};
  run(o, {1, 4, 5, 3}, {2, 3, 3, 3}, 0);
  o.dilations = {1, 1}, o.groups = 2;
  run(o, {1, 4, 5, 4}, {3, 3, 3, 4}, 6);
  o = {.padding = {1, 1, 0, 0}, .strides = {2, 3}};
  run(o, {2, 3, 4, 5}, {3, 2, 3, 2}, 2);
  o.filterLayout = TransposeLayout::hwoi;
  run(o, {2, 3, 4, 5}, {3, 2, 2, 3}, 0);
}

TEST_CASE("exported: pooling") {
  Random r(5);
  enum Kind { average, l2, largest };
  for (const auto kind : {average, l2, largest})
    for (const auto layout : {Layout::nchw, Layout::nhwc})
      for (int i = 0; i < 12; ++i) {
        const Dims window{r.integer(1, 3), r.integer(1, 3)};
        MLPool2dOptions o{.windowDimensions = window,
                          .padding = {0, 0, 0, 0},
                          .strides = {r.integer(1, 2), r.integer(1, 3)},
                          .layout = layout};
        if (i % 3 > 0)
          o.padding = {r.integer(0, 2), r.integer(0, 2), r.integer(0, 2), r.integer(0, 2)};
        if (i % 4 == 3) o.dilations = {2, 3};
        if (i % 2) o.outputShapeRounding = MLRoundingType::ceil;
        const char* const op = kind == average ? "averagePool2d"
                               : kind == l2    ? "l2Pool2d"
                                               : "maxPool2d";
        INFO(op << " " << i);
        check_exported({[=](B& b, Build::Operands x) {
                          return kind == average ? b.averagePool2d(x[0], o)
                                 : kind == l2    ? b.l2Pool2d(x[0], o)
                                                 : b.maxPool2d(x[0], o);
                        },
                        {r.tensor(float32, image(layout, 2, 3, 9, 10), 0.5, 4)},
                        tolerance_of(op, float32, 9)});
      }
  for (const auto type : {int32, int64, uint32, int8, uint8})
    check_exported(
        {[](B& b, Build::Operands x) {
           return b.maxPool2d(
               x[0], {.windowDimensions = {2, 3}, .padding = {1, 0, 0, 1}, .layout = Layout::nhwc});
         },
         {r.tensor(type, {1, 5, 6, 2}, -100, 100)}});
  CHECK(check_exported({[](B& b, Build::Operands x) {
                          return b.averagePool2d(x[0], {.layout = Layout::nhwc});
                        },
                        {r.tensor(float32, {1, 5, 6, 2})},
                        {.absolute = 1e-6}}) == "AVERAGE_POOL_2D");
}

TEST_CASE("exported: resample2d") {
  Random r(6);
  for (const auto mode : {MLInterpolationMode::nearest_neighbor, MLInterpolationMode::linear})
    for (const Dims& axes : {Dims{2, 3}, Dims{1, 2}, Dims{0, 3}})
      for (const auto& sizes : {std::pair{8u, 12u}, {3u, 3u}, {5u, 7u}, {2u, 9u}, {4u, 6u}}) {
        const std::string op = std::string("resample2d ") + std::string(name_of(mode));
        for (const auto type : {float32, int8, uint8})
          check_exported({[=](B& b, Build::Operands x) {
                            return b.resample2d(
                                x[0],
                                {.mode = mode, .sizes = {sizes.first, sizes.second}, .axes = axes});
                          },
                          {r.tensor(type, {4, 4, 6, 6}, 1, 100)},
                          tolerance_of(op, type)});
      }
}
