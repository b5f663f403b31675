// What the importer makes of models, exported and imported again; and random networks.
#include <cmath>

#include "tests/formats/tflite/cases.h"
#include "tests/formats/tflite/exported.h"
#include "tests/passes/random_network.h"

using namespace webnn;
using namespace webnn::test;

namespace {

std::vector<Tensor> run(const MLContext& context, const MLGraph& graph,
                        const std::vector<Tensor>& inputs, const std::vector<std::string>& names) {
  std::vector<Tensor> needed;
  for (const auto& [name, d] : graph.inputs())
    needed.push_back(inputs[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) -
                                                     names.begin())]);
  return computed(context, graph, needed);
}

/// Quantized results may part by one unit, floats by rounding in another order.
Tolerance allowed(const Tensor& y) {
  return is_float(y.type) ? Tolerance{.ulp = 4, .absolute = 2e-6} : Tolerance{.ulp = 1};
}

double largest_of(const Tensor& y) {
  double largest = 1;
  for (std::size_t i = 0; i < y.size(); ++i) largest = std::max(largest, std::abs(y[i]));
  return largest;
}

}  // namespace

TEST_CASE("exported: all that the importer's tests import") {
  std::size_t exported = 0;
  std::string refused;
  for (auto& c : tflite::test::all_cases()) {
    INFO(c.name);
    const MLContext context = reference_context();
    MLGraphBuilder b(context);
    const auto file = c.writer.file();
    const tflite::Model model = tflite::import_model(b, file);
    const auto inputs = inputs_of(c);
    std::vector<std::string> names;
    for (const auto& [name, x] : model.inputs) names.push_back(name);
    const MLGraph graph = b.build(model.outputs);
    const auto expected = run(context, graph, inputs, names);
    std::vector<std::byte> bytes;
    try {
      bytes = tflite::export_model(graph);
    } catch (const NotSupportedError& e) {
      refused += "\n  " + c.name + ": " + e.what();
      continue;
    }
    ++exported;
    MLGraphBuilder again(context);
    const tflite::Model second = tflite::import_model(again, bytes);
    const MLGraph rebuilt = again.build(second.outputs);
    const auto results = run(context, rebuilt, inputs, names);
    REQUIRE(results.size() == expected.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::string wrong = difference(results[i], expected[i], allowed(expected[i]));
      // Hybrid operators are one again.
      if (c.name.find("hybrid") != std::string::npos)
        CHECK(operators_of(bytes) == operators_of(file));
      if (!wrong.empty())
        FAIL_CHECK("imported again, result " << i << wrong << "\n"
                                             << operators_of(file) << " became "
                                             << operators_of(bytes));
    }
    const TfliteRuntime* runtime = TfliteRuntime::find();
    if (!runtime) continue;
    std::vector<Tensor> needed;
    for (const auto& [name, d] : graph.inputs())
      needed.push_back(inputs[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) -
                                                       names.begin())]);
    try {
      const auto theirs = runtime->run(bytes, std::span(needed));
      for (std::size_t i = 0; i < theirs.size(); ++i) {
        Tolerance rounding = allowed(expected[i]);
        // Hybrid operators quantize what has been rounded in another order.
        if (is_float(expected[i].type)) rounding.absolute = 1e-5 * largest_of(expected[i]);
        const std::string wrong = difference(theirs[i], expected[i], rounding);
        if (!wrong.empty())
          FAIL_CHECK("the reference runtime, result " << i << wrong << "\n"
                                                      << operators_of(file) << " became "
                                                      << operators_of(bytes));
      }
    } catch (const std::runtime_error& e) {
      FAIL_CHECK(e.what() << "\n" << operators_of(file) << " became " << operators_of(bytes));
    }
  }
  CHECK(refused == "");
  CHECK(exported > 150);
}

TEST_CASE("exported: random networks of images") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    const MLContext context = reference_context();
    MLGraphBuilder b(context);
    const MLGraph graph = b.build(RandomNetwork(b, seed).build(12));
    Random r(seed);
    std::vector<Tensor> inputs;
    for (const auto& [name, d] : graph.inputs())
      inputs.push_back(r.tensor(d.dataType, d.shape, -1, 1));
    const auto expected = computed(context, graph, inputs);
    const auto bytes = tflite::export_model(graph);
    MLGraphBuilder again(context);
    const MLGraph rebuilt = again.build(tflite::import_model(again, bytes).outputs);
    // Sums in another order, of values that grow from operator to operator.
    double largest = 1;
    for (const Tensor& y : expected) largest = std::max(largest, largest_of(y));
    const Tolerance sums{.absolute = 2e-5 * largest};
    compare("imported again", computed(context, rebuilt, inputs), expected, sums, graph);
    if (const TfliteRuntime* runtime = TfliteRuntime::find())
      compare("the reference runtime", runtime->run(bytes, std::span(inputs)), expected, sums,
              graph);
  }
}
