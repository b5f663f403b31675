// Boxes of which those that overlap are left out.
#include <cmath>

#include "src/formats/tflite/import/custom_options.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

void detection_post_process(Call& c) {
  const CustomOptionsOf o(c);
  const auto results = c.b.custom(
      operators::detection_post_process(), {c.value(0), c.value(1), c.value(2)},
      {.attributes = {{"maxDetections", o.integer("max_detections")},
                      {"maxClassesPerDetection", o.integer("max_classes_per_detection")},
                      {"detectionsPerClass", o.integer("detections_per_class", 100)},
                      {"classes", o.integer("num_classes")},
                      {"regular", o.real("use_regular_nms", 0) != 0},
                      {"scoreThreshold", o.real("nms_score_threshold")},
                      {"iouThreshold", o.real("nms_iou_threshold")},
                      {"scales", std::vector<double>{o.real("y_scale"), o.real("x_scale"),
                                                     o.real("h_scale"), o.real("w_scale")}}},
       .label = c.label()});
  for (std::size_t i = 0; i < c.outputs(); ++i) c.put(results[i], i);
}

/// A number in float32 that has to be known.
float known_real(const Call& c, std::size_t i) {
  const MLOperand x = c.value(i);
  if (x.dataType() != float32) c.refuse(fail("its input {} is {}", i, x.dataType()));
  return static_cast<float>(c.number(i).as_double());
}

/// Inputs: boxes, scores, the most that are selected, the overlap from which a box is left out, the
/// score above which it is kept, and in version 5 a number that is 0 unless scores are lowered.
/// Behind what is selected are zeros.
void non_max_suppression(Call& c) {
  const bool scored = c.outputs() == 3;
  const MLOperand boxes = c.value(0), scores = c.value(1);
  c.require_rank(boxes, 2, 2);
  c.require_rank(scores, 1, 1);
  const std::uint32_t most = c.dimension(c.integer(2), "the largest number of boxes");
  const float iou = known_real(c, 3);
  if (!(iou > 0)) c.unsupported(fail("its threshold of overlaps is {}", iou));
  if (scored && known_real(c, 5) != 0) c.unsupported("it lowers scores");
  const Size n = Size::dimension(scores, 0);
  // A box is left out at the threshold too, where ONNX keeps it.
  const MLOperand threshold = c.scalar(float32, std::nextafter(iou, 0.0f));
  const auto results =
      c.b.custom(operators::non_max_suppression(),
                 {c.reshaped(boxes, SizeList{1, n, 4}), c.reshaped(scores, SizeList{1, 1, n}),
                  threshold, c.reshaped(c.value(4), Dims())},
                 {.attributes = {{"maxPerClass", most}}, .label = c.label()});
  const Size rows = Size::dimension(results[0], 0);
  MLOperand places = c.reshaped(formats::slice(c.b, results[0], {0, 2}, {rows, 1}), {rows});
  const MLOperand selected = c.b.greaterOrEqual(places, c.scalar(int64, 0));
  places = c.b.max(places, c.scalar(int64, 0));
  const auto put = [&](const MLOperand& y, std::size_t i) {
    c.put(formats::pad(c.b, y, {0}, {Size(most) - rows}), i);
  };
  put(c.b.cast(places, int32), 0);
  if (scored) put(c.b.where(selected, c.b.gather(scores, places), c.scalar_like(scores, 0)), 1);
  c.put(c.b.cast(results[1], int32), scored ? 2 : 1);
}

constexpr Handler handlers[] = {
    {Code::CUSTOM, detection_post_process, 3, 3, 4, 4, "TFLite_Detection_PostProcess"},
    {Code::NON_MAX_SUPPRESSION_V4, non_max_suppression, 5, 5, 2, 2},
    {Code::NON_MAX_SUPPRESSION_V5, non_max_suppression, 6, 6, 3, 3},
};

}  // namespace

std::span<const Handler> detection_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
