// A program that asks for the component onnx: a model of one operator, relu.
#include <webnn/onnx.h>
#include <webnn/webnn.h>

#include <cstdio>
#include <string>

using namespace webnn;

namespace {

/// A message of protobuf in another one.
std::string field(char tag, const std::string& value) {
  return std::string{tag, static_cast<char>(value.size())} + value;
}

}  // namespace

int main() {
  const std::string dim("\x0a\x02\x08\x02", 4);  // dim { dim_value: 2 }
  const std::string type = field(0x0a, std::string("\x08\x01", 2) + field(0x12, dim));
  const std::string node = field(0x0a, "x") + field(0x12, "y") + field(0x22, "Relu");
  const std::string graph = field(0x0a, node) + field(0x5a, field(0x0a, "x") + field(0x12, type)) +
                            field(0x62, field(0x0a, "y"));
  const std::string file =
      std::string("\x08\x08", 2) + field(0x3a, graph) + field(0x42, std::string("\x10\x11", 2));

  MLContext context;
  MLGraphBuilder b(context);
  const onnx::Model model = onnx::import_model(b, std::as_bytes(std::span(file)));
  const MLGraph graph_of_file = b.build({{"y", model.output("y")}});
  const float in[] = {-1, 2};
  float out[2];
  context.compute(graph_of_file, {{"x", in}}, {{"y", out}});
  try {
    MLGraphBuilder again(context);
    onnx::import_model(again, std::as_bytes(std::span(file)).first(10));
    return 1;
  } catch (const DataError&) {}  // thrown inside the library, caught outside
  if (out[0] != 0 || out[1] != 2) return 1;
  MLGraphBuilder written(context);
  if (onnx::import_model(written, onnx::export_model(graph_of_file)).outputs.size() != 1) return 1;
  std::printf("webnn::onnx works\n");
}
