// What is exported, run by ONNX Runtime: an oracle that shares no code with this library. With
// WEBNN_ONNXRUNTIME_NODE=DIR, where DIR has node_modules with onnxruntime-node.
#include <map>

#include "tests/formats/onnx/exported.h"
#include "tests/formats/onnx/onnxruntime.h"

using namespace webnn;
using namespace webnn::onnx::test;
using webnn::test::Oracle;
using webnn::test::RandomGraph;

namespace {

struct Case {
  std::string name;
  MLGraph graph;
  Inputs inputs;
};

/// Whether an input or output has a type that onnxruntime-node does not have.
bool has_nibbles(const MLGraph& graph) {
  for (const auto* list : {&graph.inputs(), &graph.outputs()})
    for (const auto& [name, d] : *list)
      if (bits_of(d.dataType) < 8) return true;
  return false;
}

/// It is composed with a Clip of INT64 to 2^32 - 1, which onnxruntime 1.30 gives for every element.
bool quantizes_to_uint32(const Graph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i)
    if (graph.node(i).as<ops::quantizeLinear>() && graph.node(i).output().dataType() == uint32)
      return true;
  return false;
}

}  // namespace

TEST_CASE("onnxruntime computes the same", "[.][onnxruntime]") {
  if (!std::getenv("WEBNN_ONNXRUNTIME_NODE")) {
    WARN("WEBNN_ONNXRUNTIME_NODE is not set");
    return;
  }
  const Folder folder;
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, const MLGraph& graph, const Inputs& inputs) {
    if (has_nibbles(graph)) return;
    try {
      write(file_of(folder, cases.size(), "onnx"), onnx::export_model(graph));
    } catch (const NotSupportedError&) { return; }
    std::size_t i = 0;
    for (const auto& [input, d] : graph.inputs())
      write(file_of(folder, cases.size(), "in" + std::to_string(i++)), inputs.at(input).bytes);
    cases.push_back({name, graph, inputs});
  };
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind)
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      MLGraphBuilder b(plain());
      const RandomGraph random = webnn::test::random_operator(b, kind, seed);
      add(std::string(ops::AllOps::names[kind]), b.build(random.outputs), random.inputs);
    }
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    MLGraphBuilder b(plain());
    const RandomGraph random = webnn::test::random_graph(b, seed);
    add("random " + std::to_string(seed), b.build(random.outputs), random.inputs);
  }
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Network network = random_network(seed);
    add("network " + std::to_string(seed), network.graph, network.inputs);
  }
  run_all(folder, cases.size());

  std::map<std::string, int> same, missing;
  int extreme = 0, unoptimized = 0;
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const auto& [name, graph, inputs] = cases[n];
    CAPTURE(n, name, to_text(graph.graph()));
    const std::string error = text_of(file_of(folder, n, "error"));
    if (error.find("NOT_IMPLEMENTED") != std::string::npos ||
        error.find("Could not find an implementation") != std::string::npos) {
      ++missing[name];
      continue;
    }
    if (quantizes_to_uint32(graph.graph())) {
      ++missing[name];
      continue;
    }
    Oracle oracle(graph.graph(), inputs, rounding_of(graph.graph()));
    if (oracle.has_extremes()) {
      ++extreme;
      continue;
    }
    CHECK(error == "");
    if (!error.empty()) continue;
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      const auto& d = graph.outputs()[i].descriptor;
      const std::string bytes = text_of(file_of(folder, n, "out" + std::to_string(i)));
      const auto view = std::as_bytes(std::span(bytes));
      CHECK(bytes.size() == byte_length(d));
      if (bytes.size() != byte_length(d)) continue;
      const Tensor y{d.dataType, d.shape, {view.begin(), view.end()}};
      if (!is_near(y, oracle.output(i))) CHECK(oracle.difference(i, y) == "");
    }
    unoptimized += fs::exists(file_of(folder, n, "plain"));
    ++same[name];
  }
  std::string never;
  for (const std::string_view op : ops::AllOps::names)
    if (!same.count(std::string(op))) never += (never.empty() ? "" : " ") + std::string(op);
  int compared = 0, absent = 0;
  for (const auto& [name, times] : same) compared += times;
  for (const auto& [name, times] : missing) absent += times;
  WARN(compared << " models compared, " << absent << " with types that onnxruntime does not have, "
                << extreme << " with values beyond 2^30; " << unoptimized
                << " of those compared ran only without the runtime's optimizations");
  CHECK(never == "");
}
