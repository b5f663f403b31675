#include "tests/formats/executorch/run.h"

#include "tests/support/compute.h"

namespace webnn::inline v0_1::executorch::test {

std::vector<Tensor> compute(MLContext context, const MLGraph& graph, const Model& m,
                            std::span<const Tensor> inputs) {
  return webnn::test::compute(context, graph, m.inputs, m.outputs, inputs);
}

std::vector<Tensor> run(std::span<const std::byte> file, std::span<const Tensor> inputs,
                        const ImportOptions& options, MLContext context) {
  MLGraphBuilder builder(context);
  const Model m = import_model(builder, file, options);
  const MLGraph graph = builder.build(m.outputs, {.inputs = m.inputs});
  return compute(context, graph, m, inputs);
}

}  // namespace webnn::inline v0_1::executorch::test
