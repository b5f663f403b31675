#include "tests/formats/onnx/run.h"

namespace webnn::inline v0_1::onnx::test {

std::vector<Tensor> run(MLGraphBuilder builder, const Model& model,
                        const std::map<std::string, Tensor>& inputs) {
  MLContext context = builder.context();
  const MLGraph graph = builder.build(model.outputs, {.inputs = model.inputs});
  std::vector<NamedInput> in;
  for (const auto& [name, d] : graph.inputs())
    if (const auto given = inputs.find(name); given != inputs.end())  // what is not read may be out
      in.push_back({name, given->second.bytes});
  std::vector<Tensor> results;
  for (const auto& [name, y] : model.outputs)
    results.push_back(
        {y.dataType(), y.shape(), std::vector<std::byte>(byte_length(y.descriptor()))});
  std::vector<NamedOutput> out;
  for (std::size_t i = 0; i < results.size(); ++i)
    out.push_back({model.outputs[i].name, results[i].bytes});
  context.compute(graph, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
  return results;
}

std::vector<Tensor> run(std::span<const std::byte> file,
                        const std::map<std::string, Tensor>& inputs, const ImportOptions& options,
                        MLContext context) {
  MLGraphBuilder builder(context);
  const Model model = import_model(builder, file, options);
  return run(builder, model, inputs);
}

}  // namespace webnn::inline v0_1::onnx::test
