// What is exported and imported again computes the same.
#include <set>

#include "tests/formats/executorch/cases.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::executorch::test;

namespace {

struct Built {
  MLGraph graph;
  executorch::Model model;
};
Built built(const Bytes& file, const executorch::ImportOptions& o = {}) {
  MLGraphBuilder b(webnn::test::plain_context());
  executorch::Model m = executorch::import_model(b, file, o);
  MLGraph g = b.build(m.outputs);
  return {std::move(g), std::move(m)};
}

/// The inputs of a model whose inputs may be in another order, by their names.
std::vector<Tensor> ordered(const executorch::Model& m, const executorch::Model& given,
                            const std::vector<Tensor>& inputs) {
  std::vector<Tensor> out;
  for (const auto& [name, x] : m.inputs)
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (given.inputs[i].name == name) out.push_back(inputs[i]);
  return out;
}

/// Whether the elements are the same, or near by each other.
void check_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double tolerance) {
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    REQUIRE(a[k].type == b[k].type);
    REQUIRE(a[k].shape == b[k].shape);
    for (std::size_t i = 0; i < a[k].size(); ++i) {
      INFO(k << ' ' << i);
      CHECK(std::abs(a[k][i] - b[k][i]) <= tolerance);
    }
  }
}

}  // namespace

TEST_CASE("executorch: every kind survives export and import with the same bits", "[executorch]") {
  std::set<Kind> written;
  for (const Case& c : all_cases()) {
    INFO(c.name);
    // What is quantized in every run is written out in operators that XNNPACK does not have.
    const bool dynamic = c.name.find("_qd8_") != std::string::npos || c.name.find("dq_") == 15;
    const executorch::ImportOptions o{.dynamic_quantization = !dynamic};
    // WebNN resizes in one way; the others are gathered, for which XNNPACK has no node.
    if (c.name == "StaticResizeBilinear2D_8" || c.name == "StaticResizeBilinear2D_4") continue;
    const Built first = built(c.graph.file(), o);
    const auto expected = compute(webnn::test::plain_context(), first.graph, first.model, c.inputs);
    for (const bool program : {false, true}) {
      INFO(program);
      const Bytes file = executorch::export_model(first.graph, {.program = program});
      const Built second = built(file, o);
      const auto inputs = ordered(second.model, first.model, c.inputs);
      REQUIRE(inputs.size() == c.inputs.size());
      check_same(expected,
                 compute(webnn::test::plain_context(), second.graph, second.model, inputs), 0);
      for (std::size_t i = 0; i < first.model.outputs.size(); ++i)
        CHECK(second.model.outputs[i].name == first.model.outputs[i].name);
      // Where a kind is one operator, nothing changes any more.
      const auto nodes = executorch::read_info(file).methods[0].delegates[0].nodes;
      if (nodes != c.graph.graph.xnodes.size()) continue;
      CHECK(executorch::export_model(second.graph, {.program = program}) == file);
    }
  }
}

TEST_CASE("executorch: a constant with a scale for each column that is also moved",
          "[executorch]") {
  MLContext context = webnn::test::plain_context();
  MLGraphBuilder b(context);
  const std::vector<std::int8_t> elements{1, -2, 3, 4, -5, 6}, zeros(3);
  const std::vector<float> scales{0.5f, 0.25f, 2};
  const MLOperand w = b.constant({int8, {2, 3}}, elements),
                  real = b.dequantizeLinear(w, b.constant({float32, {1, 3}}, scales),
                                            b.constant({int8, {1, 3}}, zeros));
  const std::vector<MLOperand> parts = b.split(w, {1, 2}, {.axis = 1});
  const NamedOperands outputs{{"real", real},
                              {"left", parts[0]},
                              {"right", parts[1]},
                              {"slice", b.slice(w, {0, 1}, {2, 1})},
                              {"transposed", b.transpose(w)},
                              {"flat", b.reshape(w, {6})},
                              {"joined", b.concat({w, parts[0]}, 1)}};
  const MLGraph first = b.build(outputs);
  const Built second = built(executorch::export_model(first, {}));
  const auto results = [&](const MLGraph& graph) {
    std::vector<Tensor> all;
    for (const auto& [name, descriptor] : first.outputs())
      all.push_back(
          {descriptor.dataType, descriptor.shape, std::vector<std::byte>(byte_length(descriptor))});
    std::vector<NamedOutput> places;
    for (std::size_t i = 0; i < all.size(); ++i)
      places.push_back({first.outputs()[i].name, all[i].bytes});
    context.compute(graph, {}, places);
    return all;
  };
  check_same(results(first), results(second.graph), 0);
}
