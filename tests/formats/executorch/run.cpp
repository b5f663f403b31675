#include "tests/formats/executorch/run.h"

namespace webnn::executorch::test {

std::vector<Tensor> compute(MLContext context, const MLGraph& graph, const Model& m,
                            std::span<const Tensor> inputs) {
  std::vector<NamedInput> in;
  for (const auto& [name, d] : graph.inputs())
    for (std::size_t i = 0; i < m.inputs.size(); ++i)
      if (m.inputs[i].name == name) in.push_back({name, inputs[i].bytes});
  std::vector<Tensor> results;
  for (const auto& [name, y] : m.outputs)
    results.push_back(
        {y.dataType(), y.shape(), std::vector<std::byte>(byte_length(y.descriptor()))});
  std::vector<NamedOutput> out;
  for (std::size_t i = 0; i < results.size(); ++i)
    out.push_back({m.outputs[i].name, results[i].bytes});
  context.compute(graph, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
  return results;
}

std::vector<Tensor> run(std::span<const std::byte> file, std::span<const Tensor> inputs,
                        const ImportOptions& options, MLContext context) {
  MLGraphBuilder builder(context);
  const Model m = import_model(builder, file, options);
  const MLGraph graph = builder.build(m.outputs);
  return compute(context, graph, m, inputs);
}

}  // namespace webnn::executorch::test
