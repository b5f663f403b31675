// A program that asks for the component nnrt: a model of NNRt and back.
#include <webnn/nnrt.h>
#include <webnn/webnn.h>

#include <cstdio>
#include <span>
#include <vector>

using namespace webnn;

int main() {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {.dataType = float32, .shape = {2}});
  const std::vector<std::byte> file = nnrt::export_model(b.build({{"y", b.relu(x)}}));

  MLGraphBuilder again(context);
  const auto model = nnrt::import_model(again, std::span(file), {}, "file");
  const MLGraph graph = again.build({{"y", model.output("y")}});
  const float in[] = {-1, 2};
  float out[2];
  context.compute(graph, {{"x", in}}, {{"y", out}});
  try {
    nnrt::import_model(again, std::span(file).first(7), {}, "file");
    return 1;
  } catch (const DataError&) {}  // thrown inside the library, caught outside
  if (out[0] != 0 || out[1] != 2) return 1;
  std::printf("webnn::nnrt works\n");
}
