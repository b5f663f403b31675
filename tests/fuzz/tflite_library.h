// Models with operators that become those of the library, or are composed, as seeds.
#pragma once

#include "src/formats/tflite/options.h"
#include "tests/formats/tflite/writer.h"

namespace webnn::inline v0_1::fuzz {

/// f(name, model) for each.
template <class F> void each_tflite_library_model(F f) {
  using namespace tflite::test;
  using List = std::vector<std::int64_t>;
  constexpr auto real = TensorType::FLOAT32, integer = TensorType::INT32;
  const auto custom = [&](const std::string& name, const std::vector<Shape>& inputs, int outputs,
                          const CustomAttributes& options) {
    Writer w;
    std::vector<int> in;
    std::vector<Out> out;
    for (const Shape& shape : inputs) in.push_back(w.input(real, shape));
    for (int i = 0; i < outputs; ++i) out.emplace_back(w.empty(real));
    w.op(BuiltinOperator::CUSTOM, in, out);
    w.model.operator_codes.back()->custom_code = name;
    w.last().custom_options = tflite::bytes_from(options);
    for (const Out& y : out) w.output(y.index);
    f("library_" + name, w.file());
  };
  custom("TFLite_Detection_PostProcess", {{1, 3, 4}, {1, 3, 3}, {3, 4}}, 4,
         {{"max_detections", 2},
          {"max_classes_per_detection", 1},
          {"nms_score_threshold", 0.25},
          {"nms_iou_threshold", 0.5},
          {"num_classes", 2},
          {"y_scale", 10.0},
          {"x_scale", 10.0},
          {"h_scale", 5.0},
          {"w_scale", 5.0}});
  custom("TransformTensorBilinear", {{1, 3, 4, 2}, {1, 4, 4}}, 1,
         {{"output_height", 2}, {"output_width", 3}});
  custom("TransformLandmarks", {{1, 3, 3}, {1, 4, 4}}, 1, {{"dimensions", 3}});
  custom("Landmarks2TransformMatrix", {{1, 3, 3}}, 1,
         {{"left_rotation_idx", 0},
          {"right_rotation_idx", 2},
          {"output_height", 2},
          {"output_width", 2},
          {"scale_x", 1.5},
          {"scale_y", 1.5},
          {"subset_idxs", List{0, 1, 2, 2}}});
  Writer w;
  const int places = w.empty(integer), count = w.empty(integer);
  w.op(BuiltinOperator::NON_MAX_SUPPRESSION_V4,
       {w.input(real, {3, 4}), w.input(real, {3}), w.integer(2), w.floats({}, {0.5f}),
        w.floats({}, {0.25f})},
       {places, count});
  w.output(places);
  w.output(count);
  f("library_suppression", w.file());
}

}  // namespace webnn::inline v0_1::fuzz
