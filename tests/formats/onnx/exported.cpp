#include "tests/formats/onnx/exported.h"

#include "src/graph/narrow_floats.h"
#include "tests/passes/random_network.h"

namespace webnn::inline v0_1::onnx::test {

const MLContext& plain() {
  static const MLContext one({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  return one;
}

webnn::test::Rounding rounding_of(const Graph& graph) {
  for (std::size_t i = 0; i < graph.operand_count(); ++i)
    if (is_narrow_float(graph.operand(i).dataType())) return webnn::test::Rounding::everywhere;
  return webnn::test::Rounding::documented;
}

Network random_network(std::uint32_t seed) {
  MLGraphBuilder b(plain());
  webnn::test::RandomNetwork network(b, seed, {.decisions = false, .quantized = seed % 2 == 0});
  Network out{b.build(network.build(12))};
  webnn::test::Random r(seed);
  for (const auto& [name, d] : out.graph.inputs())
    out.inputs.emplace(name, r.tensor(d.dataType, d.shape, -1, 1));
  return out;
}

Read read(std::span<const std::byte> file) {
  MLGraphBuilder b(plain());
  Model model = import_model(b, file);
  const MLGraph graph = b.build(model.outputs, {.inputs = model.inputs});
  return {graph, std::move(model)};
}

}  // namespace webnn::inline v0_1::onnx::test
