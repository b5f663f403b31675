// The first program: a graph of five operators tells vertical stripes from horizontal ones.
#include <webnn/webnn.h>

#include <array>
#include <cstdio>

using namespace webnn;

int main() {
  MLContext context;  // the CPU, all cores that the process may use
  MLGraphBuilder b(context);

  // Two filters: how much an image changes from left to right, and from top to bottom.
  const std::array<float, 18> filters = {-1, 0,  1,  -2, 0, 2, -1, 0, 1,  //
                                         -1, -2, -1, 0,  0, 0, 1,  2, 1};
  MLOperand x = b.input("pixels", {.dataType = float32, .shape = {1, 1, 8, 8}});
  MLOperand edges =
      b.abs(b.conv2d(x, b.constant({float32, {2, 1, 3, 3}}, filters), {.label = "edges"}));
  MLOperand means = b.reshape(b.averagePool2d(edges), {1, 2});
  MLGraph graph = b.build({{"probabilities", b.softmax(means, 1)}});

  std::array<float, 64> image;
  for (int i = 0; i < 64; ++i) image[i] = i % 8 / 2 % 2;  // two columns dark, two columns light
  std::array<float, 2> probabilities;
  context.compute(graph, {{"pixels", image}}, {{"probabilities", probabilities}});
  std::printf("vertical stripes %.1f %%, horizontal stripes %.1f %%\n", 100 * probabilities[0],
              100 * probabilities[1]);
}
