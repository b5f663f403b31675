// A program that asks for the component graphinfo: a model as JSON and back.
#include <webnn/graphinfo.h>
#include <webnn/webnn.h>

#include <cstdio>
#include <string>

using namespace webnn;

int main() {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {.dataType = float32, .shape = {2}});
  const std::string file = graphinfo::export_model(b.build({{"y", b.relu(x)}}));

  MLGraphBuilder again(context);
  const auto model = graphinfo::import_model(again, file, {}, "file");
  const MLGraph graph = again.build({{"y", model.output("y")}});
  const float in[] = {-1, 2};
  float out[2];
  context.compute(graph, {{"x", in}}, {{"y", out}});
  try {
    graphinfo::import_model(again, "{", {}, "file");
    return 1;
  } catch (const DataError&) {}  // thrown inside the library, caught outside
  if (out[0] != 0 || out[1] != 2) return 1;
  std::printf("webnn::graphinfo works\n");
}
