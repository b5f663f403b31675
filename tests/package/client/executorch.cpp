// A program that asks for the component executorch: a graph of one operator through a file.
#include <webnn/executorch.h>
#include <webnn/webnn.h>

#include <cstdio>

using namespace webnn;

int main() {
  MLContext context;
  MLGraphBuilder b(context);
  const MLGraph graph = b.build({{"y", b.relu(b.input("x", {float32, {2}}))}});
  const std::vector<std::byte> file = executorch::export_model(graph);

  MLGraphBuilder again(context);
  const executorch::Model model = executorch::import_model(again, file);
  const MLGraph read = again.build(model.outputs);
  const float in[] = {-1, 2};
  float out[2];
  context.compute(read, {{model.inputs[0].name, in}}, {{model.outputs[0].name, out}});
  try {
    MLGraphBuilder wrong(context);
    executorch::import_model(wrong, std::span(file).first(10));
    return 1;
  } catch (const DataError&) {}  // thrown inside the library, caught outside
  if (out[0] != 0 || out[1] != 2) return 1;
  std::printf("webnn::executorch works\n");
}
