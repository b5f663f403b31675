// One graph from two files: a backbone that computes features of an image, and a head.
// The program writes both files first; they could come from anywhere.
#include <webnn/tflite.h>
#include <webnn/webnn.h>

#include <array>
#include <cstdio>
#include <filesystem>

using namespace webnn;

namespace {

/// How much an image changes from left to right, and from top to bottom.
void write_backbone(const std::filesystem::path& path) {
  MLGraphBuilder b{MLContext()};
  const MLOperand x = b.input("pixels", {float32, {1, 8, 8, 1}});
  const std::array<float, 18> filters = {-1, 0,  1,  -2, 0, 2, -1, 0, 1,  //
                                         -1, -2, -1, 0,  0, 0, 1,  2, 1};
  const MLOperand w = b.constant({float32, {2, 3, 3, 1}}, filters);
  const MLOperand edges = b.abs(b.conv2d(x, w,
                                         {.inputLayout = MLInputOperandLayout::nhwc,
                                          .filterLayout = MLConv2dFilterOperandLayout::ohwi}));
  tflite::export_model(b.build({{"features", b.reduceMean(edges, {.axes = {1, 2}})}}), path);
}

/// From two features to the probabilities of two classes.
void write_head(const std::filesystem::path& path) {
  MLGraphBuilder b{MLContext()};
  const MLOperand x = b.input("features", {float32, {1, 2}});
  const MLOperand w = b.constant({float32, {2, 2}}, {1.f, -1.f, -1.f, 1.f});
  tflite::export_model(b.build({{"classes", b.softmax(b.matmul(x, w), 1)}}), path);
}

}  // namespace

int main() {
  const auto folder = std::filesystem::temp_directory_path();
  const auto backbone_file = folder / "webnn_backbone.tflite",
             head_file = folder / "webnn_head.tflite";
  write_backbone(backbone_file);
  write_head(head_file);

  MLContext context;
  MLGraphBuilder b(context);
  const auto backbone = tflite::import_model(b, backbone_file);
  const MLOperand features = backbone.output("features");
  const auto head = tflite::import_model(b, head_file, {.inputs = {{"features", features}}});
  // Between and behind the two there is room for further operators.
  const MLOperand found_class = b.argMax(head.output("classes"), 1, {.outputDataType = int32});
  const MLGraph graph = b.build({{"class", found_class}, {"features", features}});

  std::array<float, 64> image;
  for (int i = 0; i < 64; ++i) image[i] = i / 8 / 2 % 2;  // two rows dark, two rows light
  std::array<std::int32_t, 1> found;
  std::array<float, 2> values;
  context.compute(graph, {{"pixels", image}}, {{"class", found}, {"features", values}});
  std::printf("features %.2f %.2f: %s stripes\n", values[0], values[1],
              found[0] == 0 ? "vertical" : "horizontal");
  std::filesystem::remove(backbone_file);
  std::filesystem::remove(head_file);
}
