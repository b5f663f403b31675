// Boxes of which those that overlap are left out: TensorFlow's detections and its own operators.
#include <cmath>

#include "src/formats/tflite/options.h"
#include "tests/formats/tflite/refusal.h"
#include "tests/formats/tflite/run.h"
#include "tests/formats/tflite/writer.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::tflite::test;
namespace fbs = webnn::tflite::schema;

namespace {

using Doubles = std::vector<double>;
constexpr auto f32 = fbs::TensorType::FLOAT32, i32 = fbs::TensorType::INT32,
               u8 = fbs::TensorType::UINT8;

Tensor floats(Dims shape, const Doubles& values) {
  return webnn::test::tensor(float32, std::move(shape), values);
}
void near(const Tensor& y, const Doubles& expected, double tolerance = 1e-5) {
  REQUIRE(y.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(y[i] - expected[i]) <= tolerance);
  }
}

const Tensor encoded =
    floats({1, 6, 4}, {0, 0, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0});
const Tensor class_scores = floats(
    {1, 6, 3}, {0, 0.9, 0.8, 0, 0.75, 0.72, 0, 0.6, 0.5, 0, 0.93, 0.95, 0, 0.5, 0.4, 0, 0.3, 0.2});
const std::vector<float> anchors{0.5, 0.5,  1, 1, 0.5, 0.5,  1, 1, 0.5, 0.5,   1, 1,
                                 0.5, 10.5, 1, 1, 0.5, 10.5, 1, 1, 0.5, 100.5, 1, 1};

CustomAttributes options(bool regular) {
  CustomAttributes o{{"max_detections", 3},
                     {"max_classes_per_detection", 1},
                     {"nms_score_threshold", 0.0},
                     {"nms_iou_threshold", 0.5},
                     {"num_classes", 2},
                     {"y_scale", 10.0},
                     {"x_scale", 10.0},
                     {"h_scale", 5.0},
                     {"w_scale", 5.0}};
  if (regular) o.push_back({"use_regular_nms", true}), o.push_back({"detections_per_class", 1});
  return o;
}

Writer detections(const CustomAttributes& o, fbs::TensorType type = f32, const Quant& of_boxes = {},
                  const Quant& of_scores = {}) {
  Writer w;
  const int boxes = w.input(type, {1, 6, 4}, of_boxes),
            scores = w.input(type, {1, 6, 3}, of_scores);
  const int to = w.constant(f32, {6, 4}, anchors);
  std::vector<Out> outputs;
  for (int i = 0; i < 4; ++i) outputs.emplace_back(w.empty(f32));
  w.op(fbs::BuiltinOperator::CUSTOM, {boxes, scores, to}, outputs);
  w.model.operator_codes.back()->custom_code = "TFLite_Detection_PostProcess";
  w.last().custom_options = tflite::bytes_from(o);
  for (const Out& y : outputs) w.output(y.index);
  return w;
}

}  // namespace

TEST_CASE("tflite: detections, by the best class of a box and by each class") {
  const std::vector<Tensor> inputs{encoded, class_scores};
  const auto fast = run(detections(options(false)).file(), inputs);
  near(fast.at(0), {0, 10, 1, 11, 0, 0, 1, 1, 0, 100, 1, 101});
  near(fast.at(1), {1, 0, 0});
  near(fast.at(2), {0.95, 0.9, 0.3});
  near(fast.at(3), {3});
  const auto regular = run(detections(options(true)).file(), inputs);
  near(regular.at(0), {0, 10, 1, 11, 0, 10, 1, 11, 0, 0, 0, 0});
  near(regular.at(1), {1, 0, 0});
  near(regular.at(2), {0.95, 0.93, 0});
  near(regular.at(3), {2});
}

TEST_CASE("tflite: detections of quantized boxes and scores") {
  const Quant of_boxes{{0.01f}, {128}}, of_scores{{0.01f}, {0}};
  Writer w = detections(options(false), u8, of_boxes, of_scores);
  const auto stored = [](const Tensor& x, double scale, double zero) {
    Tensor y = webnn::test::filled(uint8, x.shape, 0);
    for (std::size_t i = 0; i < x.size(); ++i) y.set(i, std::round(x[i] / scale) + zero);
    return y;
  };
  const std::vector<Tensor> inputs{stored(encoded, 0.01, 128), stored(class_scores, 0.01, 0)};
  const auto y = run(w.file(), inputs);
  near(y.at(0), {0, 10, 1, 11, 0, 0, 1, 1, 0, 100, 1, 101}, 0.01);
  near(y.at(2), {0.95, 0.9, 0.3}, 0.001);
}

TEST_CASE("tflite: detections whose options are wrong") {
  const auto refused = [](std::string_view name, std::optional<CustomValue> value) {
    CustomAttributes o = options(false);
    std::erase_if(o, [&](const auto& a) { return a.name == name; });
    if (value) o.push_back({std::string(name), *value});
    return refusal(detections(o));
  };
  CHECK_THAT(refused("num_classes", {}), ContainsSubstring("its options have no num_classes"));
  CHECK_THAT(refused("num_classes", "two"), ContainsSubstring("num_classes is not a number"));
  CHECK_THAT(refused("num_classes", 7), ContainsSubstring("scores of 3 classes, but classes is 7"));
  CHECK_THAT(refused("max_detections", -1), ContainsSubstring("maxDetections (-1)"));
  CHECK_THAT(refused("max_detections", 1.5), ContainsSubstring("max_detections is 1.5"));
  CHECK_THAT(refused("nms_iou_threshold", 2.0), ContainsSubstring("iouThreshold (2)"));
  CHECK_THAT(refused("h_scale", 0.0), ContainsSubstring("scales has 0"));
}

TEST_CASE("tflite: NON_MAX_SUPPRESSION_V4 and V5, with 0 behind what they select") {
  for (const bool scored : {false, true}) {
    Writer w;
    std::vector<int> inputs{w.input(f32, {6, 4}), w.input(f32, {6}), w.integer(8),
                            w.floats({}, {0.5f}), w.floats({}, {0.4f})};
    if (scored) inputs.push_back(w.floats({}, {0.0f}));
    std::vector<Out> outputs{w.empty(i32)};
    if (scored) outputs.emplace_back(w.empty(f32));
    outputs.emplace_back(w.empty(i32));
    w.op(scored ? fbs::BuiltinOperator::NON_MAX_SUPPRESSION_V5
                : fbs::BuiltinOperator::NON_MAX_SUPPRESSION_V4,
         inputs, outputs);
    for (const Out& y : outputs) w.output(y.index);
    const std::vector<Tensor> data{
        floats({6, 4}, {1, 1,  0, 0,  0, 0.1,  1, 1.1,  0, -0.1, 1, 0.9,
                        0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100,  1, 101}),
        floats({6}, {0.9, 0.75, 0.6, 0.95, 0.5, 0.3})};
    const auto y = run(w.file(), data);
    near(y.at(0), {3, 0, 0, 0, 0, 0, 0, 0});
    CHECK(y.at(0).type == int32);
    near(y.back(), {2});
    if (scored) near(y.at(1), {0.95, 0.9, 0, 0, 0, 0, 0, 0});
  }
}

TEST_CASE("tflite: a box is left out at the threshold too") {
  for (const float threshold : {0.5f, 0.51f}) {
    Writer w;
    const int places = w.empty(i32), count = w.empty(i32);
    w.op(fbs::BuiltinOperator::NON_MAX_SUPPRESSION_V4,
         {w.input(f32, {2, 4}), w.input(f32, {2}), w.integer(2), w.floats({}, {threshold}),
          w.floats({}, {0.0f})},
         {places, count});
    w.output(count);
    // One is half of the other.
    const std::vector<Tensor> data{floats({2, 4}, {0, 0, 2, 2, 0, 0, 2, 1}),
                                   floats({2}, {0.5, 0.75})};
    CHECK(run(w.file(), data).at(0)[0] == (threshold > 0.5f ? 2 : 1));
  }
}
