#include "tests/formats/onnx/open_exports.h"

namespace webnn::inline v0_1::onnx::test {
namespace {

MLOperand input(MLGraphBuilder b, const std::string& name, MLDimensions shape,
                MLOperandDataType type = float32) {
  return b.input(name, {type, std::move(shape)});
}
MLOperand list(MLGraphBuilder b, const std::vector<std::uint32_t>& v) {
  return b.constant({uint32, {static_cast<std::uint32_t>(v.size())}}, v);
}
MLOperand filter(MLGraphBuilder b, Dims shape) {
  const Tensor t = counted(shape);
  return b.constant({float32, shape}, std::span(t.as<float>(), t.size()));
}

/// x of each of these shapes.
std::vector<OpenInputs> of_x(const std::vector<Dims>& shapes) {
  std::vector<OpenInputs> all;
  for (const Dims& shape : shapes) all.push_back({{"x", counted(shape)}});
  return all;
}
std::vector<OpenInputs> of_x_and_y(const std::vector<std::pair<Dims, Dims>>& shapes,
                                   MLOperandDataType type = float32) {
  std::vector<OpenInputs> all;
  for (const auto& [x, y] : shapes) all.push_back({{"x", counted(x)}, {"y", counted(y, type)}});
  return all;
}

void add_movement(std::vector<OpenExport>& all) {
  all.push_back({"slice",
                 [](MLGraphBuilder b) -> NamedOperands {
                   const MLOperand x = input(b, "x", {"n", 6});
                   return {{"y", b.slice(x, {0, 1}, {4, 3})}};
                 },
                 of_x({{4, 6}, {5, 6}, {9, 6}}), of_x({{3, 6}, {1, 6}})});
  all.push_back({"slice in steps",
                 [](MLGraphBuilder b) -> NamedOperands {
                   const MLOperand x = input(b, "x", {"n", "m"});
                   return {{"y", b.slice(x, {1, 0}, {5, 4}, {.strides = {{3, 1}}})}};
                 },
                 of_x({{6, 4}, {7, 9}, {11, 5}}), of_x({{5, 4}, {4, 4}, {6, 3}})});
  const auto sliced = [](std::optional<Dims> strides) {
    return [strides](MLGraphBuilder b) -> NamedOperands {
      const MLOperand x = input(b, "x", {"n", 4}), y = input(b, "y", {"m"});
      const MLOperand sizes = b.concat({b.shape(y), list(b, {4})}, 0);
      MLSliceOptions o;
      if (strides) o.strides = *strides;
      return {{"part", b.sliceDynamic(x, list(b, {1, 0}), sizes, o)}, {"y'", b.neg(y)}};
    };
  };
  const auto taken = of_x_and_y({{{3, 4}, {2}}, {{6, 4}, {2}}, {{9, 4}, {8}}});
  const auto refused = of_x_and_y({{{3, 4}, {3}}, {{6, 4}, {9}}});
  all.push_back({"sliceDynamic", sliced(std::nullopt), taken, refused});
  all.push_back({"sliceDynamic in steps", sliced(Dims{2, 3}), taken, refused});
  all.push_back({"expandDynamic",
                 [](MLGraphBuilder b) -> NamedOperands {
                   const MLOperand x = input(b, "x", {"a", 1}), y = input(b, "y", {"b", "c"});
                   return {{"wide", b.expandDynamic(x, b.shape(y))}, {"y'", b.neg(y)}};
                 },
                 of_x_and_y({{{1, 1}, {3, 2}}, {{3, 1}, {3, 2}}, {{1, 1}, {1, 4}}}),
                 of_x_and_y({{{3, 1}, {1, 2}}, {{3, 1}, {5, 2}}})});
  all.push_back({"expand",
                 [](MLGraphBuilder b) -> NamedOperands {
                   return {{"y", b.expand(input(b, "x", {"a", 3}), {2, 4, 3})}};
                 },
                 of_x({{1, 3}, {4, 3}}), of_x({{2, 3}, {8, 3}})});
  all.push_back({"split",
                 [](MLGraphBuilder b) -> NamedOperands {
                   const auto parts = b.split(input(b, "x", {2, "n"}), 3, {.axis = 1});
                   return {{"a", parts[0]}, {"b", b.neg(parts[1])}, {"c", parts[2]}};
                 },
                 of_x({{2, 3}, {2, 6}, {2, 12}}), of_x({{2, 7}, {2, 8}})});
  all.push_back({"reshape",
                 [](MLGraphBuilder b) -> NamedOperands {
                   return {{"y", b.reshape(input(b, "x", {"n", "m"}), {12})}};
                 },
                 of_x({{3, 4}, {2, 6}, {12, 1}}), of_x({{3, 5}})});
}

void add_indices(std::vector<OpenExport>& all) {
  const auto off_axis_taken =
      of_x_and_y({{{2, 5}, {2, 3}}, {{5, 5}, {5, 3}}, {{9, 5}, {9, 3}}}, int32);
  const auto off_axis_refused = of_x_and_y({{{5, 5}, {2, 3}}, {{2, 5}, {5, 3}}}, int32);
  all.push_back({"gatherElements",
                 [](MLGraphBuilder b) -> NamedOperands {
                   const MLOperand x = input(b, "x", {"n", 5}), y = input(b, "y", {"m", 3}, int32);
                   return {{"z", b.gatherElements(x, y, {.axis = 1})}};
                 },
                 off_axis_taken, off_axis_refused});
  all.push_back({"scatterElements",
                 [](MLGraphBuilder b) -> NamedOperands {
                   const MLOperand x = input(b, "x", {"n", 5}), y = input(b, "y", {"m", 3}, int32);
                   return {{"z", b.scatterElements(x, y, b.cast(y, float32), {.axis = 1})}};
                 },
                 {of_x_and_y({{{2, 5}, {2, 3}}}, int32)[0]},
                 off_axis_refused});
  all.push_back({"gatherND",
                 [](MLGraphBuilder b) -> NamedOperands {
                   const MLOperand x = input(b, "x", {"n", 4}), y = input(b, "y", {3, 2}, int32);
                   return {{"z", b.gatherND(x, y)}};
                 },
                 of_x_and_y({{{1, 4}, {3, 2}}, {{2, 4}, {3, 2}}, {{17, 4}, {3, 2}}}, int32),
                 {}});
  all.push_back(
      {"scatterND",
       [](MLGraphBuilder b) -> NamedOperands {
         const MLOperand x = input(b, "x", {"n", 3}), y = input(b, "y", {1, 1}, int32);
         return {{"z", b.scatterND(x, y, b.constant({float32, {1, 3}}, {7.f, 8.f, 9.f}))}};
       },
       of_x_and_y({{{1, 3}, {1, 1}}, {{2, 3}, {1, 1}}, {{8, 3}, {1, 1}}}, int32),
       {}});
}

void add_images(std::vector<OpenExport>& all) {
  const MLPool2dOptions o{.windowDimensions = {{3, 2}}, .padding = {1, 2, 0, 1}, .strides = {4, 2}};
  all.push_back({"pools",
                 [o](MLGraphBuilder b) -> NamedOperands {
                   const MLOperand x = input(b, "x", {1, 2, "height", "width"});
                   return {{"mean", b.averagePool2d(x, o)},
                           {"largest", b.maxPool2d(x, o)},
                           {"root", b.l2Pool2d(x, o)}};
                 },
                 of_x({{1, 2, 4, 4}, {1, 2, 5, 7}, {1, 2, 6, 6}, {1, 2, 15, 3}}),
                 {}});
  all.push_back({"whole images",
                 [](MLGraphBuilder b) -> NamedOperands {
                   const MLOperand x = input(b, "x", {"n", 2, "height", "width"});
                   return {{"mean", b.averagePool2d(x)}, {"largest", b.maxPool2d(x)}};
                 },
                 of_x({{1, 2, 4, 4}, {2, 2, 3, 2}, {1, 2, 2, 2}}),
                 {}});
  all.push_back(
      {"conv2d with an open filter",
       [](MLGraphBuilder b) -> NamedOperands {
         const MLOperand x = input(b, "x", {1, "c", "h", 4}), y = input(b, "y", {"o", "c", 3, 2});
         return {{"z", b.conv2d(x, y, {.padding = {1, 0, 0, 1}, .strides = {2, 3}})}};
       },
       of_x_and_y({{{1, 2, 4, 4}, {5, 2, 3, 2}}, {{1, 1, 7, 4}, {1, 1, 3, 2}}}),
       of_x_and_y({{{1, 2, 4, 4}, {5, 3, 3, 2}}})});
  all.push_back({"normalizations",
                 [](MLGraphBuilder b) -> NamedOperands {
                   const MLOperand x = input(b, "x", {"n", 3, "length", 2});
                   return {{"layer", b.layerNormalization(x, {.axes = Dims{1, 3}})},
                           {"softmax", b.softmax(x, 2)},
                           {"sum", b.cumulativeSum(x, 2)},
                           {"triangular", b.triangular(x)}};
                 },
                 of_x({{1, 3, 1, 2}, {2, 3, 5, 2}, {4, 3, 2, 2}}),
                 {}});
  all.push_back({"resample2d",
                 [](MLGraphBuilder b) -> NamedOperands {
                   const MLOperand x = input(b, "x", {1, 1, "height", "width"});
                   return {{"nearest", b.resample2d(x, {.scales = {3, 2}})},
                           {"linear", b.resample2d(x, {.mode = MLInterpolationMode::linear,
                                                       .scales = {2, 4}})}};
                 },
                 of_x({{1, 1, 1, 2}, {1, 1, 5, 3}, {1, 1, 8, 8}}),
                 {}});
  all.push_back({"networks on images",
                 [](MLGraphBuilder b) -> NamedOperands {
                   MLOperand x = input(b, "x", {"batch", "height", "width", 3});
                   x = b.conv2d(x, filter(b, {4, 3, 3, 3}),
                                {.padding = {1, 1, 0, 2},
                                 .strides = {2, 2},
                                 .inputLayout = MLInputOperandLayout::nhwc,
                                 .filterLayout = MLConv2dFilterOperandLayout::ohwi});
                   x = b.prelu(b.add(x, filter(b, {4})), filter(b, {4}));
                   return {{"y", b.pad(x, Dims{0, 1, 0, 0}, Dims{0, 0, 2, 0})}};
                 },
                 of_x({{1, 2, 3, 3}, {3, 7, 4, 3}, {2, 8, 9, 3}}),
                 {}});
}

}  // namespace

std::vector<OpenExport> open_exports() {
  std::vector<OpenExport> all;
  add_movement(all);
  add_indices(all);
  add_images(all);
  return all;
}

}  // namespace webnn::inline v0_1::onnx::test
