// A program that asks for the component text: a model as text and back.
#include <webnn/text.h>
#include <webnn/webnn.h>

#include <cstdio>
#include <string>

using namespace webnn;

int main() {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {.dataType = float32, .shape = {2}});
  const std::string file = webnn::text::export_model(b.build({{"y", b.relu(x)}}));

  MLGraphBuilder again(context);
  const auto model = webnn::text::import_model(again, file, {}, "file");
  const MLGraph graph = again.build({{"y", model.output("y")}});
  const float in[] = {-1, 2};
  float out[2];
  context.compute(graph, {{"x", in}}, {{"y", out}});
  try {
    webnn::text::format("webnn_graph 1");
    return 1;
  } catch (const DataError&) {}  // thrown inside the library, caught outside
  if (out[0] != 0 || out[1] != 2) return 1;
  std::printf("webnn::text works\n");
}
