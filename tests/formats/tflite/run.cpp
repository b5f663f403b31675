#include "tests/formats/tflite/run.h"

#include "tests/support/compute.h"

namespace webnn::inline v0_1::tflite::test {

std::vector<Tensor> run(std::span<const std::byte> model, std::span<const Tensor> inputs,
                        const ImportOptions& options, MLContext context) {
  MLGraphBuilder builder(context);
  const Model m = import_model(builder, model, options);
  const MLGraph graph = builder.build(m.outputs, {.inputs = m.inputs});
  return webnn::test::compute(context, graph, m.inputs, m.outputs, inputs);
}

}  // namespace webnn::inline v0_1::tflite::test
