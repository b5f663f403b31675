#include "tests/support/compute.h"

namespace webnn::inline v0_1::test {

std::vector<Tensor> compute(MLContext context, const MLGraph& graph, const NamedOperands& inputs,
                            const NamedOperands& outputs, std::span<const Tensor> values) {
  std::vector<NamedInput> in;
  for (const auto& [name, d] : graph.inputs())
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].name == name) in.push_back({name, values[i].bytes});
  std::vector<Tensor> results;
  for (const auto& [name, y] : outputs)
    results.push_back(
        {y.dataType(), y.shape(), std::vector<std::byte>(byte_length(y.descriptor()))});
  std::vector<NamedOutput> out;
  for (std::size_t i = 0; i < results.size(); ++i)
    out.push_back({outputs[i].name, results[i].bytes});
  context.compute(graph, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
  return results;
}

}  // namespace webnn::inline v0_1::test
