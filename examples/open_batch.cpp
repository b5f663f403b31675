// One graph for any number of rows: each run chooses its batch.
#include <webnn/webnn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace webnn;

int main() {
  MLContext context;
  MLGraphBuilder b(context);
  MLOperand x = b.input("x", {.dataType = float32, .shape = {"batch", 2}});
  const std::array<float, 4> weights = {1, 0, 0, 1};
  MLOperand scores = b.matmul(x, b.constant({float32, {2, 2}}, weights));
  MLGraph graph = b.build({{"y", b.softmax(scores, 1)}});

  for (const std::uint32_t batch : {1u, 3u, 2u, 3u}) {
    const std::vector<float> rows(std::size_t{batch} * 2, 1.0f);
    // What the outputs will be is known before the run.
    const Dims shape = graph.computeShapes({{"x", {batch, 2}}}).front().descriptor.shape;
    std::vector<float> y(element_count(shape));
    context.compute(graph, {{"x", rows}}, {{"y", y}});  // the number of elements says the batch
    std::printf("%u of %u: %.3f %.3f\n", shape[0], shape[1], y.front(), y.back());
  }

  try {  // what no batch can be
    std::vector<float> y(2);
    context.compute(graph, {{"x", std::vector<float>(3)}}, {{"y", y}});
  } catch (const TypeError& e) { std::printf("%s\n", e.what()); }
}
