// Every operator that WebNN declares, with random operands and options: what is written and read
// again computes the same bits, or, where it is composed, what rounding allows.
#include "tests/formats/onnx/exported.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx::test;
using webnn::test::computed;
using webnn::test::Oracle;
using webnn::test::RandomGraph;

namespace {

struct Count {
  int equal = 0, near = 0, extreme = 0, refused = 0;
};

void check(const MLGraph& graph, const Inputs& inputs, Count& count) {
  std::vector<std::byte> file;
  try {
    file = onnx::export_model(graph);
  } catch (const NotSupportedError& e) {
    const std::string message = e.what();
    CHECK(message.find("cannot be expressed: ") != std::string::npos);
    const auto says = [&](const char* part) { return message.find(part) != std::string::npos; };
    CHECK((says("a zero point of ") || says("ONNX's Pow does not take uint64")));
    ++count.refused;
    return;
  }
  const Read again = read(file);
  for (const auto& [name, d] : graph.inputs()) {
    const MLOperand& x = again.model.input(name);
    CHECK(x.dataType() == d.dataType);
    CHECK(x.shape() == d.shape);
  }
  CHECK(again.graph.outputs() == graph.outputs());
  // What was imported can be written again, and then nothing is lost.
  const Read third = read(onnx::export_model(again.graph));
  CHECK(third.graph.outputs() == graph.outputs());
  const std::vector<Tensor> expected = computed(plain(), graph, inputs);
  std::optional<Oracle> oracle;
  for (const MLGraph* g : {&again.graph, &third.graph}) {
    const std::vector<Tensor> results = computed(plain(), *g, inputs);
    bool equal = true;
    for (std::size_t i = 0; i < results.size(); ++i)
      equal = equal && results[i].bytes == expected[i].bytes;
    if (equal) continue;
    if (!oracle) oracle.emplace(graph.graph(), inputs, rounding_of(graph.graph()));
    // Compositions overflow where one operator does not.
    if (oracle->has_extremes()) {
      ++count.extreme;
      return;
    }
    for (std::size_t i = 0; i < results.size(); ++i) CHECK(oracle->difference(i, results[i]) == "");
  }
  ++(oracle ? count.near : count.equal);
}

}  // namespace

TEST_CASE("onnx round trip: every operator") {
  std::string refused, composed;
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind) {
    Count count;
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
      CAPTURE(ops::AllOps::names[kind], seed);
      MLGraphBuilder b(plain());
      const RandomGraph random = webnn::test::random_operator(b, kind, seed);
      const MLGraph graph = b.build(random.outputs);
      INFO(to_text(graph.graph()));
      try {
        check(graph, random.inputs, count);
      } catch (const Error& e) { FAIL_CHECK(e.what()); }
    }
    const std::string name(ops::AllOps::names[kind]);
    if (count.refused) refused += (refused.empty() ? "" : " ") + name;
    if (count.near || count.extreme) composed += (composed.empty() ? "" : " ") + name;
  }
  // Of uint64, and with zero points of 4 bits that are not constant.
  CHECK(refused == "pow quantizeLinear");
  CHECK(composed == "linear lstm lstmCell");
}

TEST_CASE("onnx round trip: random graphs") {
  Count count;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    MLGraphBuilder b(plain());
    const RandomGraph random = webnn::test::random_graph(b, seed);
    try {
      check(b.build(random.outputs), random.inputs, count);
    } catch (const Error& e) { FAIL_CHECK(e.what()); }
  }
  CHECK(count.equal + count.near > 100);
}

TEST_CASE("onnx round trip: random networks of images") {
  Count count;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const Network network = random_network(seed);
    check(network.graph, network.inputs, count);
  }
  CHECK(count.equal + count.near + count.extreme == 60);
  CHECK(count.equal > 40);
}
