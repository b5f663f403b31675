// One graph for pictures of every size: vertical stripes are told from horizontal ones.
#include <webnn/webnn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

using namespace webnn;

int main() {
  MLContext context;
  MLGraphBuilder b(context);
  // How much a picture changes from left to right, and from top to bottom.
  const std::array<float, 18> filters = {-1, 0,  1,  -2, 0, 2, -1, 0, 1,  //
                                         -1, -2, -1, 0,  0, 0, 1,  2, 1};
  MLOperand x = b.input("pixels", {.dataType = float32, .shape = {1, 1, "height", "width"}});
  MLOperand half = b.averagePool2d(x, {.windowDimensions = {{2, 2}}, .strides = {2, 2}});
  MLOperand large = b.resample2d(half, {.scales = {2, 2}});
  MLOperand sharp = b.sub(b.add(x, x), large, {.label = "sharp"});  // asks for even sizes
  MLOperand edges = b.abs(b.conv2d(sharp, b.constant({float32, {2, 1, 3, 3}}, filters)));
  MLGraph graph =
      b.build({{"probabilities", b.softmax(b.reshape(b.averagePool2d(edges), {1, 2}), 1)}});

  // The first run with a new size chooses kernels and plans memory. A program that knows its sizes
  // has that done ahead.
  graph.prepare({{"pixels", {1, 1, 8, 8}}});
  for (const auto& [height, width] : {std::pair(8u, 8u), {12u, 20u}, {40u, 16u}}) {
    std::vector<float> picture(std::size_t{height} * width);
    for (std::size_t i = 0; i < picture.size(); ++i)
      picture[i] = static_cast<float>(i % width / 4 % 2);  // four columns dark, four light
    std::array<float, 2> probabilities;
    const Dims shape{1, 1, height, width};
    context.compute(graph, {{"pixels", {picture, shape}}}, {{"probabilities", probabilities}});
    std::printf("%ux%u: %s\n", height, width,
                probabilities[0] > probabilities[1] ? "vertical stripes" : "horizontal stripes");
  }

  try {
    graph.computeShapes({{"pixels", {1, 1, 9, 8}}});
  } catch (const TypeError& e) { std::printf("%s\n", e.what()); }
}
