// A program that asks for the component models: a graph through a file of every format.
#include <webnn/models.h>
#include <webnn/webnn.h>

#include <cstdio>
#include <vector>

using namespace webnn;

int main() {
  MLContext context({.keepConstants = true});
  int checked = 0;
  for (const ModelFormat& format : model_formats()) {
    if (!format.imports || !format.exports) continue;
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {.dataType = float32, .shape = {2}});
    const std::vector<std::byte> file = exported_bytes(b.build({{"y", b.relu(x)}}), format.name);
    MLGraphBuilder again(context);
    const ImportedModel model = import_model(again, file);  // by its content
    const MLGraph graph = again.build(model.outputs, {.inputs = model.inputs});
    const float in[] = {-1, 2};
    float out[2];
    context.compute(graph, {{"x", in}}, {{"y", out}});
    if (model.format != format.name || out[0] != 0 || out[1] != 2) return 1;
    ++checked;
  }
  MLGraphBuilder b(context);
  try {
    import_model(b, Path("none.xyz"));
    return 1;
  } catch (const NotSupportedError&) {}  // thrown inside the library, caught outside
  std::printf("webnn::models works with %d formats\n", checked);
}
