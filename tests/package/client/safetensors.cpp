// A program that asks for the component safetensors: weights into a file and back.
#include <webnn/safetensors.h>
#include <webnn/webnn.h>

#include <cstdio>

using namespace webnn;

int main() {
  const float values[] = {1, 2};
  const auto file =
      safetensors::File::from_bytes(safetensors::write({{"w", {float32, {2}}, values}}));

  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {.dataType = float32, .shape = {2}});
  const MLOperand w = b.constant(file.descriptor("w"), file.constant("w"));
  const MLGraph graph = b.build({{"y", b.add(x, w)}});
  const float in[] = {10, 20};
  float out[2];
  context.compute(graph, {{"x", in}}, {{"y", out}});
  try {
    file.info("v");
    return 1;
  } catch (const DataError&) {}  // thrown inside the library, caught outside
  if (out[0] != 11 || out[1] != 22) return 1;
  std::printf("webnn::safetensors works\n");
}
