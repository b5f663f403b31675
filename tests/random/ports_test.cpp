// The lists of inputs and outputs of a graph through files: their order, and what is not read.
#include "src/graph/graph_data.h"
#include "tests/random/exported.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/graph_builder.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const MLOperandDescriptor two{float32, {1, 2}};

/// b - a and b * a, twice, of inputs that are listed as a, c, b; nothing reads c.
MLGraph difference(const MLContext& context) {
  MLGraphBuilder builder(context);
  const MLOperand b = builder.input("b", two), a = builder.input("a", two),
                  c = builder.input("c", {int32, {3}});
  const MLOperand d = builder.sub(b, a), p = builder.mul(b, a);
  return builder.build({{"y", p}, {"again", d}, {"x", d}},
                       {.inputs = {{"a", a}, {"c", c}, {"b", b}}});
}

std::vector<std::string> names_of(const NamedDescriptors& all) {
  std::vector<std::string> names;
  for (const auto& [name, d] : all) names.push_back(name);
  return names;
}

void check(MLContext& context, const MLGraph& graph) {
  CHECK(names_of(graph.inputs()) == std::vector<std::string>{"a", "c", "b"});
  CHECK(graph.inputs()[1].descriptor == MLOperandDescriptor{int32, {3}});
  CHECK(names_of(graph.outputs()) == std::vector<std::string>{"y", "again", "x"});
  // As one that knows only places calls it.
  const float first[]{1, 2}, third[]{5, 9};
  const std::int32_t second[]{7, 7, 7};
  float results[3][2];
  const std::vector<NamedInput> inputs{{graph.inputs()[0].name, first},
                                       {graph.inputs()[1].name, second},
                                       {graph.inputs()[2].name, third}};
  const std::vector<NamedOutput> outputs{{graph.outputs()[0].name, results[0]},
                                         {graph.outputs()[1].name, results[1]},
                                         {graph.outputs()[2].name, results[2]}};
  const std::vector<NamedInput> read{inputs[0], inputs[2]};
  for (const auto* given : {&inputs, &read}) {
    for (auto& r : results) r[0] = r[1] = -1;
    context.compute(graph, *given, outputs);
    CHECK(results[0][0] == 5);
    CHECK(results[0][1] == 18);
    for (const int i : {1, 2}) {
      CHECK(results[i][0] == 4);
      CHECK(results[i][1] == 7);
    }
  }
}

}  // namespace

TEST_CASE("ports: inputs and outputs keep their order through every pair of formats") {
  MLContext context({.threads = 1});
  const MLGraph graph = difference(context);
  check(context, graph);
  REQUIRE_FALSE(file_formats().empty());
  for (const FileFormat& one : file_formats()) {
    CAPTURE(one.name);
    const auto first = one.through(graph, context);
    REQUIRE(first);
    check(context, *first);
    for (const FileFormat& other : file_formats()) {
      CAPTURE(other.name);
      const auto second = other.through(*first, context);
      REQUIRE(second);
      check(context, *second);
    }
  }
}
