// One graph for batches and pictures of any size: brightness along the edges of pictures, of which
// each run chooses how many there are and how large they are.
#include <webnn/webnn.h>

#include <array>
#include <cstdio>
#include <vector>

using namespace webnn;

namespace {

/// One picture of stripes that are two columns wide.
std::vector<float> stripes(std::uint32_t batch, std::uint32_t height, std::uint32_t width) {
  std::vector<float> image(std::size_t{batch} * height * width);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = i % width / 2 % 2;
  return image;
}

}  // namespace

int main() {
  MLContext context;
  MLGraphBuilder b(context);

  // Names in place of sizes: dimensions with one name have one size in a run.
  MLOperand x = b.input("pixels", {float32, {"batch", 1, "height", "width"}});
  const std::array<float, 9> filter = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
  MLOperand edges = b.abs(b.conv2d(x, b.constant({float32, {1, 1, 3, 3}}, filter)));
  MLOperand means = b.reshapeTo2d(b.averagePool2d(edges));  // [batch, 1]
  MLGraph graph = b.build({{"edges", edges}, {"means", means}});

  for (const Dims& shape : {Dims{1, 1, 8, 8}, {1, 1, 6, 20}, {3, 1, 8, 8}}) {
    // The shapes of the outputs, without a run.
    const NamedDescriptors outputs = graph.computeShapes({{"pixels", shape}});
    std::vector<float> means_of(element_count(outputs[1].descriptor.shape));
    const std::vector<float> image = stripes(shape[0], shape[2], shape[3]);
    context.compute(graph, {{"pixels", {image, shape}}}, {{"means", means_of}});
    const Dims& e = outputs[0].descriptor.shape;
    std::printf("%u x %u x %u: edges of %u x %u, mean %.2f\n", shape[0], shape[2], shape[3], e[2],
                e[3], means_of.front());
  }

  // A size that an operator does not take is refused before anything runs.
  try {
    graph.computeShapes({{"pixels", {1, 1, 2, 8}}});
  } catch (const TypeError& e) { std::printf("%s\n", e.what()); }
}
