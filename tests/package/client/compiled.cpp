// A program that asks for the component compiled: a graph in a file and back.
#include <webnn/compiled.h>
#include <webnn/webnn.h>

#include <cstdio>

using namespace webnn;

int main() {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {.dataType = float32, .shape = {2}});
  compiled::save(b.build({{"y", b.relu(x)}}), "client.webnnc");
  const MLGraph graph = compiled::load(context, "client.webnnc");
  std::remove("client.webnnc");
  const float in[] = {-1, 2};
  float out[2];
  context.compute(graph, {{"x", in}}, {{"y", out}});
  try {
    compiled::load(context, "client.webnnc");
    return 1;
  } catch (const DataError&) {}  // thrown inside the library, caught outside
  if (out[0] != 0 || out[1] != 2) return 1;
  std::printf("webnn::compiled works\n");
}
