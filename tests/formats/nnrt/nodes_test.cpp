// Nodes that WebNN has no operator for by that name, against numbers that follow from the
// interface's documentation.
#include "tests/formats/nnrt/maker.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::nnrt;
using namespace webnn::nnrt::test;

namespace {

using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;
using Bytes = std::vector<std::uint8_t>;
using enum nnrt::DataType;

Dims shape_of(const Model& m) {
  MLGraphBuilder b(webnn::test::plain_context());
  return import_model(b, m).outputs[0].operand.shape();
}
std::string refusal(const Model& m) {
  MLGraphBuilder b(webnn::test::plain_context());
  return webnn::test::thrown([&] { import_model(b, m); });
}
Floats activated(ActivationType type, Floats x, nnrt::Activation a = {}) {
  a.activationType = type;
  return run(Maker().input({static_cast<std::int32_t>(x.size())}).result(a), x);
}

}  // namespace

TEST_CASE("nodes: activations") {
  using enum ActivationType;
  const Floats x{-1, 0.5f, 2, 7};
  CHECK(activated(ACTIVATION_TYPE_RELU6, x) == Floats{0, 0.5f, 2, 6});
  CHECK(activated(ACTIVATION_TYPE_RELU1, x) == Floats{0, 0.5f, 1, 1});
  CHECK(activated(ACTIVATION_TYPE_LINEAR, x) == x);
  CHECK(activated(ACTIVATION_TYPE_ABS, x) == Floats{1, 0.5f, 2, 7});
  CHECK(activated(ACTIVATION_TYPE_SIGN, x) == Floats{-1, 1, 1, 1});
  CHECK(activated(ACTIVATION_TYPE_HARD_TANH, x, {.minVal = -0.5f, .maxVal = 3}) ==
        Floats{-0.5f, 0.5f, 2, 3});
  CHECK(near(activated(ACTIVATION_TYPE_LEAKY_RELU, x, {.alpha = 0.25f}), {-0.25f, 0.5f, 2, 7}));
  const auto e = static_cast<float>(std::exp(-1.0));
  CHECK(near(activated(ACTIVATION_TYPE_ELU, {-1, 2}, {.alpha = 2}), {2 * (e - 1), 2}));
  CHECK(near(activated(ACTIVATION_TYPE_SELU, {-1, 2}),
             {1.05070098f * 1.67326324f * (e - 1), 2 * 1.05070098f}));
  CHECK(near(activated(ACTIVATION_TYPE_SWISH, {-1, 0}), {-e / (1 + e), 0}));
  CHECK(near(activated(ACTIVATION_TYPE_HSIGMOID, {-4, 0, 1}), {0, 0.5f, 4.0f / 6}));
  CHECK(near(activated(ACTIVATION_TYPE_HSWISH, {-4, 1}), {0, 4.0f / 6}));
  CHECK(near(activated(ACTIVATION_TYPE_GELU, {1}, {.approximate = true}), {0.84119199f}));
  CHECK(near(activated(ACTIVATION_TYPE_GELU, {1}), {0.84134475f}));
  CHECK(refusal(Maker().input({1}).result(
            nnrt::Activation{.activationType = ACTIVATION_TYPE_THRESHOLDRELU})) ==
        "NotSupportedError nnrt: node 0 (NODE_TYPE_ACTIVATION): the activation "
        "ACTIVATION_TYPE_THRESHOLDRELU has no WebNN counterpart.");
}

TEST_CASE("nodes: what follows from shapes alone") {
  CHECK(run<std::int64_t>(Maker().input({2, 3}).result(nnrt::Shape{}, {2}, DATA_TYPE_INT64)) ==
        Longs{2, 3});
  CHECK(run<std::int32_t>(Maker().input({2, 3}).result(Rank{}, {}, DATA_TYPE_INT32)) == Ints{2});
  CHECK(run<std::int32_t>(Maker().input({1}).result(nnrt::Range{.start = 1, .limit = 8, .delta = 3},
                                                    {3}, DATA_TYPE_INT32)) == Ints{1, 4, 7});
  CHECK(run<std::int32_t>(Maker().ints({4}).ints({-1}).ints({-2}).result(
            nnrt::Range{}, {3}, DATA_TYPE_INT32)) == Ints{4, 2, 0});
  CHECK(run(Maker().ints({2, 2}).result(ConstantOfShape{.value = {1.5f}})) ==
        Floats{1.5f, 1.5f, 1.5f, 1.5f});
  CHECK(run(Maker().input({1}).ints({3}).result(Fill{}), Floats{4}) == Floats{4, 4, 4});
  CHECK(shape_of(Maker().input({2, 3, 4}).result(Flatten{.axis = 2})) == Dims{6, 4});
  CHECK(shape_of(Maker().input({2, 3, 4}).result(Flatten{.axis = 0})) == Dims{1, 24});
  CHECK(shape_of(Maker().input({2, 3}).result(Unsqueeze{.axis = {0, -1}})) == Dims{1, 2, 3, 1});
  CHECK(shape_of(Maker().input({2, 3}).ints({1}).result(ExpandDims{})) == Dims{2, 1, 3});
  CHECK(shape_of(Maker().input({1, 2, 1}).result(Squeeze{})) == Dims{2});
  CHECK(shape_of(Maker().input({1, 2, 1}).result(Squeeze{.axis = {-1}})) == Dims{1, 2});
  CHECK(shape_of(Maker().input({2, 3, 4}).ints({0, -1}).result(Reshape{})) == Dims{2, 12});
  CHECK(refusal(Maker().input({1}).result(nnrt::Range{.start = 1, .limit = 1, .delta = 1}, {1},
                                          DATA_TYPE_INT32))
            .find("is empty") != std::string::npos);
}

TEST_CASE("nodes: places and conditions") {
  const Model hot = Maker()
                        .input({2}, DATA_TYPE_INT32)
                        .ints({3})
                        .floats({1}, {5})
                        .floats({1}, {1})
                        .result(OneHot{.axis = -1});
  CHECK(run<float, std::int32_t>(hot, {2, 0}) == Floats{1, 1, 5, 5, 1, 1});
  CHECK(run<float, std::int32_t>(hot, {7, -1}) == Floats(6, 1.0f));
  CHECK(run(Maker()
                .constant<std::int32_t>({2, 2}, {0, 1, 1, 0}, DATA_TYPE_INT32)
                .input({2})
                .ints({2, 2})
                .result(SparseToDense{}),
            Floats{8, 9}) == Floats{0, 8, 9, 0});
  CHECK(run(Maker()
                .constant<std::uint8_t>({2}, {1, 0}, DATA_TYPE_BOOL)
                .input({2, 2})
                .floats({2, 2}, {0, 0, 0, 0})
                .result(Where{}),
            Floats{1, 2, 3, 4}) == Floats{1, 2, 0, 0});
  CHECK(run<std::uint8_t>(Maker().input({2, 2}).ints({1}).result(All{}, {2}, DATA_TYPE_BOOL),
                          Floats{1, 0, 2, 3}) == Bytes{0, 1});
  CHECK(run(Maker().input({2, 2}).result(ArgMaxFusion{.axis = 1, .topK = 1, .outMaxValue = true}),
            Floats{1, 3, 7, 5}) == Floats{3, 7});
  CHECK(run(Maker().input({2}).floats({2}, {3, 4}).result(Stack{.axis = 1}), Floats{1, 2}) ==
        Floats{1, 3, 2, 4});
}

TEST_CASE("nodes: slices that go backward, and paddings") {
  const auto slice = [](Ints begin, Ints end, Ints strides, StridedSlice a) {
    return Maker().input({4}).ints(begin).ints(end).ints(strides).result(a);
  };
  const Floats x{0, 1, 2, 3};
  CHECK(run(slice({-1}, {0}, {-2}, {}), x) == Floats{3, 1});
  CHECK(run(slice({-1}, {0}, {-1}, {}), x) == Floats{3, 2, 1});
  CHECK(run(slice({3}, {0}, {-1}, {.endMask = 1}), x) == Floats{3, 2, 1, 0});
  CHECK(run(slice({0}, {-5}, {-3}, {.beginMask = 1}), x) == Floats{3, 0});
  CHECK(run(slice({1}, {9}, {2}, {}), x) == Floats{1, 3});
  CHECK(refusal(slice({1}, {1}, {1}, {})).find("the slice from 1 to 1") != std::string::npos);
  CHECK(refusal(slice({1}, {2}, {0}, {})).find("a stride is 0") != std::string::npos);
  CHECK(run(Maker().input({3}).result(
                PadFusion{.paddings = {{1, 2}}, .paddingMode = PaddingMode::PADDING_MODE_REFLECT}),
            Floats{1, 2, 3}) == Floats{2, 1, 2, 3, 2, 1});
  CHECK(run(Maker().input({1}).result(PadFusion{.paddings = {{1, 0}}, .constantValue = 9}),
            Floats{1}) == Floats{9, 1});
  CHECK(refusal(Maker().input({3}).result(PadFusion{
                    .paddings = {{1, 2}}, .paddingMode = PaddingMode::PADDING_MODE_SYMMETRIC}))
            .starts_with("NotSupportedError"));
}

TEST_CASE("nodes: blocks of pixels") {
  const Floats eight{1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(run(Maker()
                .input({1, 2, 4, 1})
                .result(SpaceToBatchND{.blockShape = {2, 2}, .paddings = {{0, 0}, {0, 0}}}),
            eight) == Floats{1, 3, 2, 4, 5, 7, 6, 8});
  CHECK(run(Maker()
                .input({1, 1, 1, 1})
                .result(SpaceToBatchND{.blockShape = {2, 2}, .paddings = {{1, 0}, {0, 1}}}),
            Floats{5}) == Floats{0, 0, 5, 0});
  CHECK(run(Maker()
                .input({4, 1, 2, 1})
                .result(BatchToSpaceND{.blockShape = {2, 2}, .crops = {{0, 0}, {0, 0}}}),
            Floats{1, 3, 2, 4, 5, 7, 6, 8}) == eight);
  CHECK(run(Maker()
                .input({4, 1, 2, 1})
                .result(BatchToSpaceND{.blockShape = {2, 2}, .crops = {{0, 1}, {1, 0}}}),
            Floats{1, 3, 2, 4, 5, 7, 6, 8}) == Floats{2, 3, 4});
  CHECK(refusal(Maker().input({3, 1, 1, 1}).result(BatchToSpaceND{.blockShape = {2, 2}}))
            .find("do not divide the batch") != std::string::npos);
}

TEST_CASE("nodes: resizing in every way to find the nearest element") {
  using enum NearestMode;
  using enum CoordinateTransformMode;
  const auto nearest = [](CoordinateTransformMode mode, NearestMode round) {
    return run(Maker()
                   .input({1, 1, 3, 1})
                   .result(Resize{.method = ResizeMethod::RESIZE_METHOD_NEAREST,
                                  .newHeight = 1,
                                  .newWidth = 2,
                                  .coordinateTransformMode = mode,
                                  .nearestMode = round}),
               Floats{1, 2, 3});
  };
  // The coordinates are 0 and 1.5.
  CHECK(nearest(COORDINATE_TRANSFORM_MODE_ASYMMETRIC, NEAREST_MODE_FLOOR) == Floats{1, 2});
  CHECK(nearest(COORDINATE_TRANSFORM_MODE_ASYMMETRIC, NEAREST_MODE_ROUND_HALF_DOWN) ==
        Floats{1, 2});
  CHECK(nearest(COORDINATE_TRANSFORM_MODE_ASYMMETRIC, NEAREST_MODE_ROUND_HALF_UP) == Floats{1, 3});
  CHECK(nearest(COORDINATE_TRANSFORM_MODE_ASYMMETRIC, NEAREST_MODE_CEIL) == Floats{1, 3});
  CHECK(nearest(COORDINATE_TRANSFORM_MODE_ALIGN_CORNERS, NEAREST_MODE_NORMAL) == Floats{1, 3});
  // 0.25 and 1.75.
  CHECK(nearest(COORDINATE_TRANSFORM_MODE_HALF_PIXEL, NEAREST_MODE_NORMAL) == Floats{1, 3});
  CHECK(nearest(COORDINATE_TRANSFORM_MODE_HALF_PIXEL, NEAREST_MODE_ROUND_HALF_DOWN) ==
        Floats{1, 3});
  CHECK(nearest(COORDINATE_TRANSFORM_MODE_HALF_PIXEL, NEAREST_MODE_FLOOR) == Floats{1, 2});
  CHECK(nearest(COORDINATE_TRANSFORM_MODE_HALF_PIXEL, NEAREST_MODE_CEIL) == Floats{2, 3});
  const auto linear = [](std::int64_t width, CoordinateTransformMode mode) {
    return run(Maker()
                   .input({1, 1, 3, 1})
                   .result(Resize{.method = ResizeMethod::RESIZE_METHOD_LINEAR,
                                  .newHeight = 1,
                                  .newWidth = width,
                                  .coordinateTransformMode = mode}),
               Floats{1, 2, 4});
  };
  CHECK(linear(2, COORDINATE_TRANSFORM_MODE_ASYMMETRIC) == Floats{1, 3});
  CHECK(linear(2, COORDINATE_TRANSFORM_MODE_ALIGN_CORNERS) == Floats{1, 4});
  CHECK(linear(2, COORDINATE_TRANSFORM_MODE_HALF_PIXEL) == Floats{1.25f, 3.5f});
  // One element is the first one, where WebNN takes that in the middle.
  CHECK(linear(1, COORDINATE_TRANSFORM_MODE_HALF_PIXEL) == Floats{1});
}

TEST_CASE("nodes: an LSTM has the gates input, output, forget, cell") {
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  const Model m = Maker()
                      .input({1, 1, 1})
                      .floats({1, 4, 1}, {1, 2, 3, 4})
                      .floats({1, 4, 1}, {0.5f, 0.25f, 0, -1})
                      .floats({1, 8}, {0.1f, 0, 0, 0, 0, 0, 0.2f, 0})
                      .floats({1, 1, 1}, {2})
                      .floats({1, 1, 1}, {3})
                      .result(LSTM{.hasBias = true, .inputSize = 1, .hiddenSize = 1});
  const double x = 0.5, h = 2, c = 3;
  const double i = sigmoid(x + 0.5 * h + 0.1), o = sigmoid(2 * x + 0.25 * h),
               f = sigmoid(3 * x + 0.2), g = std::tanh(4 * x - h);
  CHECK(near(run(m, Floats{0.5f}), {static_cast<float>(o * std::tanh(f * c + i * g))}));
}

TEST_CASE("nodes: what is fused into them") {
  const auto sum = [](Attributes a) {
    return run(Maker().input({2}).floats({2}, {3, -9}).result(std::move(a)), Floats{2, 4});
  };
  CHECK(sum(Eltwise{.mode = EltwiseMode::ELTWISE_MODE_PROD}) == Floats{6, -36});
  CHECK(sum(Eltwise{.mode = EltwiseMode::ELTWISE_MODE_SUM}) == Floats{5, -5});
  CHECK(sum(Eltwise{.mode = EltwiseMode::ELTWISE_MODE_MAXIMUM}) == Floats{3, 4});
  CHECK(sum(SubFusion{ActivationType::ACTIVATION_TYPE_RELU6}) == Floats{0, 6});
  CHECK(sum(MulFusion{ActivationType::ACTIVATION_TYPE_RELU}) == Floats{6, 0});
  CHECK(run(Maker().input({2, 2}).ints({1}).result(ReduceFusion{
                .mode = ReduceMode::REDUCE_MODE_MEAN, .reduceToEnd = true, .coeff = 2}),
            Floats{1, 2, 3, 4}) == Floats{3, 7});
  CHECK(run(Maker().input({2}).floats({1}, {2}).result(PowFusion{.scale = 2, .shift = 1}),
            Floats{1, -2}) == Floats{9, 9});
  CHECK(near(run(Maker().input({1, 2}).result(LogSoftmax{.axis = -1}), Floats{0, 0}),
             {-0.69314718f, -0.69314718f}));
}
