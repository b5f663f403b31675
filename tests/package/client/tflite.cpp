// A program that asks for the component tflite: a model into a file and back.
#include <webnn/tflite.h>
#include <webnn/webnn.h>

#include <cstdio>
#include <vector>

using namespace webnn;

int main() {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {.dataType = float32, .shape = {2}});
  const std::vector<std::byte> file = tflite::export_model(b.build({{"y", b.relu(x)}}));

  MLGraphBuilder again(context);
  const tflite::Model model = tflite::import_model(again, file);
  const MLGraph graph = again.build({{"y", model.output("y")}});
  const float in[] = {-1, 2};
  float out[2];
  context.compute(graph, {{"x", in}}, {{"y", out}});
  try {
    tflite::import_model(again, std::span(file).first(10));
    return 1;
  } catch (const DataError&) {}  // thrown inside the library, caught outside
  if (out[0] != 0 || out[1] != 2) return 1;
  std::printf("webnn::tflite works\n");
}
