// Models made node by node, against numbers that the interface's documentation gives.
#include "tests/formats/nnrt/maker.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::nnrt;

namespace {

using namespace webnn::nnrt::test;

std::string refusal(const Model& m, const ImportOptions& o = {}) {
  MLGraphBuilder b(webnn::test::plain_context());
  return webnn::test::thrown([&] { import_model(b, m, o); });
}

}  // namespace

TEST_CASE("nnrt: convolution of an NHWC image with a filter [outputs, height, width, inputs]",
          "[nnrt]") {
  Conv2DFusion a{.kernelSize = {1, 2},
                 .stride = {1, 1},
                 .dilation = {1, 1},
                 .padMode = PadMode::PAD_MODE_SAME,
                 .inChannel = 2,
                 .outChannel = 1,
                 .activationType = ActivationType::ACTIVATION_TYPE_RELU6};
  const Model m = Maker()
                      .input({1, 1, 3, 2})
                      .floats({1, 1, 2, 2}, {1, 10, 100, -1})
                      .floats({1}, {2.5f})
                      .result(a);
  // SAME has its one column of zeros behind.
  CHECK(near(run(m, Floats{1, 0, 0.01f, 0.25f, 0.02f, 0}), {4.25f, 6, 2.52f}));
}

TEST_CASE("nnrt: operators as the interface describes them", "[nnrt]") {
  CHECK(near(run(Maker().input({3}).result(ExpFusion{.base = 2, .scale = 2, .shift = 1}),
                 Floats{0, 1, -1}),
             {2, 8, 0.5f}));
  CHECK(run(Maker().input({4}).floats({1}, {3}).result(Mod{}), Floats{4, -4, 7.5f, 3}) ==
        Floats{1, 2, 1.5f, 0});
  CHECK(run(Maker().input({3}).floats({3}, {3, 0.1f, 7}).result(Mod{}), Floats{1e9f, 1, -33e6f}) ==
        Floats{1, 0.09999999f, 2});
  CHECK(run(Maker().input({2}).floats({1}, {2}).result(SquaredDifference{}), Floats{5, -1}) ==
        Floats{9, 9});
  CHECK(run(Maker().input({2, 3}).ints({1}).result(
                ReduceFusion{.keepDims = false, .mode = ReduceMode::REDUCE_MODE_L2}),
            Floats{3, 0, 4, 0, -2, 0}) == Floats{5, 2});
  CHECK(run(Maker().input({2, 2}).result(L2NormalizeFusion{.axis = {1}, .epsilon = 1e-6f}),
            Floats{3, 4, 0, 2}) == Floats{0.6f, 0.8f, 0, 1});
  CHECK(run(Maker()
                .input({1, 2, 2, 1})
                .result(SpaceToDepth{.blockSize = 2, .format = nnrt::Format::FORMAT_NHWC}),
            Floats{1, 2, 3, 4}) == Floats{1, 2, 3, 4});
  CHECK(run(Maker()
                .input({1, 1, 1, 8})
                .result(DepthToSpace{
                    .blockSize = 2, .format = nnrt::Format::FORMAT_NHWC, .mode = "DCR"}),
            Floats{0, 1, 2, 3, 4, 5, 6, 7}) == Floats{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(run(Maker()
                .input({1, 1, 1, 8})
                .result(DepthToSpace{
                    .blockSize = 2, .format = nnrt::Format::FORMAT_NHWC, .mode = "CRD"}),
            Floats{0, 1, 2, 3, 4, 5, 6, 7}) == Floats{0, 4, 1, 5, 2, 6, 3, 7});
  CHECK(run(Maker().input({2, 3}).ints({0, 0}).ints({2, 2}).ints({1, 2}).result(
                StridedSlice{.endMask = 2, .shrinkAxisMask = 1}),
            Floats{1, 2, 3, 4, 5, 6}) == Floats{1, 3});
  CHECK(run(Maker().input({2, 3}).ints({0, 1}).ints({-1, 2}).result(SliceFusion{.axes = {0, 1}}),
            Floats{1, 2, 3, 4, 5, 6}) == Floats{2, 3, 5, 6});
  CHECK(run(Maker()
                .input({2, 2})
                .floats({2}, {1, 2})
                .floats({2}, {10, 20})
                .result(ScaleFusion{.axis = 1}),
            Floats{1, 2, 3, 4}) == Floats{11, 24, 13, 28});
  CHECK(run(Maker()
                .input({1, 2})
                .floats({2, 2}, {1, 2, 3, 4})
                .floats({2}, {1, -50})
                .result(FullConnection{.hasBias = true,
                                       .activationType = ActivationType::ACTIVATION_TYPE_RELU}),
            Floats{10, 1}) == Floats{13, 0});
  CHECK(run<std::int64_t>(Maker().input({2, 3}).result(ArgMaxFusion{.axis = -1, .topK = 1}, {2},
                                                       nnrt::DataType::DATA_TYPE_INT64),
                          Floats{1, 3, 2, 9, 0, 9}) == std::vector<std::int64_t>{1, 0});
  CHECK(run<std::uint8_t>(Maker().input({3}).result(Cast{}, {3}, nnrt::DataType::DATA_TYPE_BOOL),
                          Floats{0, -2, 0.5f}) == std::vector<std::uint8_t>{0, 1, 1});
  CHECK(run(Maker().input({2, 2}).result(Softmax{.axis = {-1}}), Floats{0, 0, 5, 5}) ==
        Floats{0.5f, 0.5f, 0.5f, 0.5f});
}

TEST_CASE("nnrt: quantized tensors", "[nnrt]") {
  Maker maker;
  maker.input({2}, nnrt::DataType::DATA_TYPE_INT8);
  maker.m.allTensors[0].quantParams = {{8, 2, 0.5}};
  maker.constant<std::int8_t>({2}, {10, 20}, nnrt::DataType::DATA_TYPE_INT8);
  maker.m.allTensors[1].quantParams = {{8, 0, 0.1}};
  Model m = maker.result(AddFusion{}, {2}, nnrt::DataType::DATA_TYPE_INT8);
  m.allTensors[2].quantParams = {{8, -1, 0.25}};
  // (4 - 2) / 2 + 1 is 2, and (-2 - 2) / 2 + 2 is 0.
  CHECK(run<std::int8_t, std::int8_t>(m, {4, -2}) == std::vector<std::int8_t>{7, -1});
}

TEST_CASE("nnrt: scales and zero points that are none are refused", "[nnrt]") {
  const auto with = [](nnrt::QuantParam q) {
    Maker maker;
    maker.input({2}, nnrt::DataType::DATA_TYPE_INT8);
    maker.m.allTensors[0].quantParams = {q};
    return refusal(maker.result(Abs{}));
  };
  CHECK(with({8, 127, 0.5}) == "nothing");
  CHECK_THAT(with({8, 128, 0.5}), ContainsSubstring("\"t0\" has a zero point of 128"));
  for (const double scale : {0.0, -1.0, 1e-60, 1e60, std::nan("")})
    CHECK_THAT(with({8, 0, scale}), ContainsSubstring("\"t0\" has a scale of "));
}

TEST_CASE("nnrt: wrong models are refused", "[nnrt]") {
  const Model good = Maker().input({2}).result(Abs{});
  CHECK(refusal(good) == "nothing");
  Model m = good;
  m.nodes[0].inputIndex = {7};
  CHECK_THAT(refusal(m), ContainsSubstring("DataError") && ContainsSubstring("tensor 7"));
  m = good;
  m.nodes[0].outputIndex = {0};
  CHECK_THAT(refusal(m), ContainsSubstring("written twice"));
  m = good;
  m.outputIndex = {9};
  CHECK_THAT(refusal(m), ContainsSubstring("tensor 9"));
  m = good;
  m.subGraph[0].nodeIndices = {0, 0};
  CHECK_THAT(refusal(m), ContainsSubstring("twice"));
  m = good;
  m.subGraph[0].nodeIndices = {};
  CHECK_THAT(refusal(m), ContainsSubstring("read before it is written"));
  m = good;
  m.allTensors[0].dims = {0};
  CHECK_THAT(refusal(m), ContainsSubstring("dimension 0 is 0"));
  CHECK_THAT(refusal(Maker().input({2}).result(Crop{})),
             ContainsSubstring("NotSupportedError") && ContainsSubstring("NODE_TYPE_CROP (1)"));
  CHECK_THAT(refusal(Maker().input({2}).floats({2}, {1}).result(AddFusion{})),
             ContainsSubstring("4 bytes"));
  CHECK_THAT(refusal(Maker().input({2}).input({3}).result(Reshape{})),
             ContainsSubstring("does not follow from constants"));
  CHECK_THAT(refusal(good, {.shapes = {{"nowhere", {2}}}}), ContainsSubstring("no input"));
}

TEST_CASE("nnrt: open dimensions are 1, or as the caller says", "[nnrt]") {
  const Model m = Maker().input({-1, 2}).result(Abs{});
  MLGraphBuilder b(webnn::test::plain_context());
  CHECK(import_model(b, m).inputs[0].operand.shape() == Dims{1, 2});
  MLGraphBuilder c(webnn::test::plain_context());
  CHECK(import_model(c, m, {.shapes = {{"t0", {5, 2}}}}).inputs[0].operand.shape() == Dims{5, 2});
  CHECK_THAT(refusal(m, {.shapes = {{"t0", {5, 3}}}}), ContainsSubstring("TypeError"));
}
