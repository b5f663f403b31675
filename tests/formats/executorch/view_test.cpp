// What webnn info and webnn graph show of programs, also of those that cannot be imported.
#include "src/formats/common/file_view.h"
#include "tests/formats/executorch/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::executorch::test;
using formats::FileView;

namespace {

FileView view(const Bytes& file) {
  const auto owner = std::make_shared<Bytes>(file);
  return executorch::view_file({.owner = owner, .bytes = *owner, .label = "net.pte"}, {});
}

}  // namespace

TEST_CASE("view: kernels, delegates and the nodes of these", "[executorch]") {
  GraphWriter d;
  const auto a = d.input({3}), k = d.floats({1}, {2}), b = d.output({3});
  d.binary(Kind::Multiply, a, k, b);
  d.limits(0, 6);
  ProgramWriter p;
  const int x = p.tensor({3}), m = p.tensor({3}), n = p.tensor({3}), y = p.tensor({3});
  const int dim = p.number(0), flag = p.number(1);
  p.plan().inputs = {x};
  p.plan().outputs = {y};
  p.delegate(d, {x, m});
  p.kernel("aten::cumprod", "out", {m, dim, n});
  p.kernel("aten::_softmax", "out", {n, dim, flag, y});
  const FileView v = view(p.file());
  REQUIRE(v.graphs.size() == 2);
  const auto& g = v.graphs[0];
  REQUIRE(g.operators.size() == 3);
  CHECK(g.operators[0].type == "XnnpackBackend");
  CHECK(g.operators[0].graphs == std::vector<std::size_t>{1});
  CHECK(g.operators[0].inputs.at(0).value == static_cast<std::size_t>(x));
  CHECK(g.operators[0].outputs.at(0).value == static_cast<std::size_t>(m));
  CHECK(g.operators[1].type == "aten::cumprod.out");
  CHECK(g.operators[1].refusal == "it has no WebNN counterpart");
  CHECK(g.operators[1].attributes.at(0) == std::pair<std::string, std::string>("argument 1", "0"));
  CHECK(g.operators[2].refusal.empty());
  CHECK(g.values[static_cast<std::size_t>(y)].type == "float [3]");
  const auto& node = v.graphs[1].operators.at(0);
  CHECK(node.type == "Multiply");
  CHECK(node.inputs.size() == 2);
  CHECK(node.inputs[1].name == "input2");
  CHECK(v.graphs[1].values[node.inputs[1].value].is_constant);
  CHECK(node.attributes.back() == std::pair<std::string, std::string>("output_max", "6"));
}
