#include "tests/formats/onnx/run.h"

namespace webnn::inline v0_1::onnx::test {

std::vector<Tensor> run(MLContext context, const MLGraph& graph,
                        const std::map<std::string, Tensor>& inputs) {
  std::vector<NamedInput> in;
  std::vector<NamedShape> shapes;
  for (const auto& [name, d] : graph.inputs())
    if (const auto given = inputs.find(name);
        given != inputs.end()) {  // what is not read may be out
      const auto& [type, shape, bytes] = given->second;
      in.push_back({name, shape.empty() ? InputView(bytes) : InputView(bytes, shape)});
      shapes.push_back({name, shape});
    }
  std::vector<Tensor> results;
  for (const auto& [name, d] : graph.computeShapes(shapes))
    results.push_back({d.dataType, d.shape, std::vector<std::byte>(byte_length(d))});
  std::vector<NamedOutput> out;
  for (std::size_t i = 0; i < results.size(); ++i)
    out.push_back({graph.outputs()[i].name, results[i].bytes});
  context.compute(graph, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
  return results;
}

std::vector<Tensor> run(MLGraphBuilder builder, const Model& model,
                        const std::map<std::string, Tensor>& inputs) {
  return run(builder.context(), builder.build(model.outputs, {.inputs = model.inputs}), inputs);
}

std::vector<Tensor> run(std::span<const std::byte> file,
                        const std::map<std::string, Tensor>& inputs, const ImportOptions& options,
                        MLContext context) {
  MLGraphBuilder builder(context);
  const Model model = import_model(builder, file, options);
  return run(builder, model, inputs);
}

}  // namespace webnn::inline v0_1::onnx::test
