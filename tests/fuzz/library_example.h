// Graphs of the operators of the library that WebNN does not have, as seeds.
#pragma once

#include "webnn/webnn.h"

namespace webnn::inline v0_1::fuzz {

inline NamedOperands library_operators(const MLGraphBuilder& builder) {
  MLGraphBuilder b = builder;
  using List = std::vector<std::int64_t>;
  const auto use = [&](const char* name, std::vector<MLOperand> x, CustomAttributes a = {}) {
    return b.custom(std::string("webnn.") + name, std::move(x), {.attributes = std::move(a)});
  };
  const auto zeros = [&](const Dims& shape) {
    return b.constant({float32, shape}, std::vector<std::byte>(element_count(shape) * 4));
  };
  const MLOperand boxes = b.input("boxes", {float32, {1, 3, 4}}),
                  scores = b.input("scores", {float32, {1, 2, 3}}),
                  image = b.input("image", {float32, {1, 2, 4, 4}}),
                  steps = b.input("steps", {float32, {1, 3, 2}});
  const auto kept = use("NonMaxSuppression", {boxes, scores, b.constant(float32, 0.5)},
                        {{"maxPerClass", 2}, {"center", true}});
  const auto found = use("NonZero", {image});
  const auto different = use("Unique", {scores}, {{"flat", true}, {"sorted", false}});
  const MLOperand regions = b.reshape(boxes, {3, 4});
  const auto pooled =
      use("RoiAlign", {image, regions, b.constant({int32, {3}}, std::vector<std::byte>(12))},
          {{"height", 2}, {"width", 2}, {"mode", "max"}});
  const auto products = use("CumulativeProduct", {scores}, {{"axis", 2}, {"reversed", true}});
  const auto determinants = use("Determinant", {image});
  const auto columns =
      use("DeformColumns", {image, zeros({1, 8, 3, 3})}, {{"windowDimensions", List{2, 2}}});
  const auto folded = use("Col2Im", {b.reshape(columns[0], {1, 8, 9})},
                          {{"imageShape", List{4, 4}}, {"blockShape", List{2, 2}}});
  const auto noise = use("Random", {scores}, {{"distribution", "normal"}, {"seed", 5}});
  const auto fresh = use("FreshRandom", {}, {{"shape", List{2, 3}}, {"type", "float16"}});
  const auto read = use("LinearAttention", {steps, steps, steps, zeros({1, 1, 2, 2})},
                        {{"queryHeads", 1}, {"heads", 1}, {"rule", "linear"}});
  const auto detections =
      use("DetectionPostProcess", {boxes, b.transpose(scores, {.permutation = {0, 2, 1}}), regions},
          {{"maxDetections", 2}, {"classes", 2}, {"regular", true}});
  return {{"kept", kept[0]},
          {"count", kept[1]},
          {"found", found[0]},
          {"different", different[0]},
          {"pooled", pooled[0]},
          {"products", products[0]},
          {"determinants", determinants[0]},
          {"folded", folded[0]},
          {"noise", noise[0]},
          {"fresh", fresh[0]},
          {"read", read[0]},
          {"state", read[1]},
          {"detections", detections[0]}};
}

/// write(name, graph) for a graph of each.
template <class F> void each_library_operator(const MLContext& context, F write) {
  for (std::size_t i = 0, count = 1; i < count; ++i) {
    MLGraphBuilder b(context);
    const NamedOperands outputs = library_operators(b);
    count = outputs.size();
    write("library_" + outputs[i].name, b.build({outputs[i]}));
  }
}

}  // namespace webnn::inline v0_1::fuzz
