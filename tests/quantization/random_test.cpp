// Random networks: what is quantized is a graph with the same inputs and outputs, and computes what
// was measured.
#include "tests/passes/random_network.h"
#include "tests/quantization/networks.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

std::vector<std::vector<float>> results_of(MLContext context, const Graph& graph,
                                           const std::vector<float>& x) {
  const MLGraph g = build_graph(context, with_outputs(graph, graph.outputs()));
  std::vector<std::vector<float>> all;
  for (const auto& [name, d] : g.outputs()) all.emplace_back(element_count(d.shape));
  std::vector<NamedOutput> out;
  for (std::size_t i = 0; i < all.size(); ++i) out.push_back({g.outputs()[i].name, all[i]});
  context.compute(g, {{"x", x}}, out);
  return all;
}

}  // namespace

TEST_CASE("quantize: random networks") {
  const MLContext context({.threads = 1});
  std::size_t quantized = 0, on_integers = 0;
  for (std::uint32_t seed = 0; seed < 160; ++seed) {
    CAPTURE(seed);
    MLGraphBuilder b(context);
    RandomNetwork network(b, seed, {.decisions = false});
    const NamedOperands outputs = network.build(10);
    const Graph g = test::graph_of(outputs);
    const std::vector<float> x = wave(element_count(g.inputs()[0].operand.shape()), 0.37f);
    const std::vector<CalibrationSample> samples = {{{"x", x}}};
    const QuantizationOptions options{.dynamic = seed % 4 == 0,
                                      .per_channel = seed % 2 == 0,
                                      .activations = seed % 3 == 0 ? int8 : uint8,
                                      .weights = seed % 5 == 0 ? uint8 : int8,
                                      .symmetric = seed % 7 == 0,
                                      .reduce_range = seed % 11 == 0};
    std::optional<QuantizedGraph> q;
    const std::string error = thrown([&] { q = quantize(context, g, samples, options); });
    if (!q) {
      CHECK(error.find("no product or convolution") != std::string::npos);
      continue;
    }
    ++quantized;
    const auto bad = check_replacement(g, q->graph);
    CHECK((bad ? bad->message : "") == "");
    const auto expected = results_of(context, g, x), actual = results_of(context, q->graph, x);
    const std::string text =
        build_graph(context, with_outputs(q->graph, q->graph.outputs())).explain();
    on_integers += text.find("int8") != std::string::npos;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      double largest = 0, error_now = 0;
      for (std::size_t k = 0; k < expected[i].size(); ++k) {
        if (!std::isfinite(expected[i][k])) continue;
        largest = std::max(largest, std::abs(double{expected[i][k]}));
        error_now = std::max(error_now, std::abs(double{expected[i][k]} - double{actual[i][k]}));
      }
      if (std::isfinite(q->outputs[i].max_error))
        CHECK(error_now <= 4 * q->outputs[i].max_error + 1e-3 * largest);
    }
  }
  CHECK(quantized > 40);
  if (context.backends()[0] == "simd") CHECK(on_integers > quantized / 2);
}
