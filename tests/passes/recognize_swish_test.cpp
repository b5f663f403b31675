#include "src/graph/fused/expand.h"
#include "tests/passes/small_graphs.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct WrittenOut : Net {
  MLOperand x = b.input("x", {float32, {2, 3}});
};
Graph recognized(const MLOperand& y) { return recognize_swish(graph_of({{"y", y}})); }

}  // namespace

TEST_CASE("recognize_swish: x * sigmoid(x) in both orders, wherever x comes from") {
  WrittenOut w;
  CHECK(names(recognized(w.b.mul(w.x, w.b.sigmoid(w.x)))) == Names{"swish"});
  CHECK(names(recognized(w.b.mul(w.b.sigmoid(w.x), w.x))) == Names{"swish"});
  const MLOperand y = w.b.neg(w.x);
  CHECK(names(recognized(w.b.mul(w.b.sigmoid(y), y))) == Names{"neg", "swish"});
  CHECK(names(recognized(w.b.add(y, w.b.mul(w.b.sigmoid(y), y)))) == Names{"neg", "swish", "add"});
}

TEST_CASE("recognize_swish leaves what is only similar, and graphs that have nothing of it") {
  WrittenOut w;
  const MLOperand other = w.b.input("other", w.x.descriptor()), s = w.b.sigmoid(w.x);
  const MLOperand half = w.b.input("half", {float16, {2, 3}});
  for (const NamedOperands& outputs : {
           NamedOperands{{"y", w.b.mul(other, s)}},                // another operand
           NamedOperands{{"y", w.b.mul(s, s)}},                    // twice the sigmoid
           NamedOperands{{"y", w.b.add(w.x, s)}},                  // a sum
           NamedOperands{{"y", w.b.mul(w.x, s)}, {"s", s}},        // the sigmoid is an output
           NamedOperands{{"y", w.b.add(w.b.mul(w.x, s), s)}},      // the sigmoid is read again
           NamedOperands{{"y", w.b.mul(half, w.b.sigmoid(half))}}  // no kernel takes float16
       }) {
    const Graph before = graph_of(outputs);
    CHECK(recognize_swish(before) == before);
  }
}

TEST_CASE("swish: its composition is what was recognized") {
  WrittenOut w;
  const MLOperand y = w.b.neg(w.x);
  const Graph before = graph_of({{"y", w.b.relu(w.b.mul(y, w.b.sigmoid(y), {.label = "act"}))}});
  const Graph fused = recognize_swish(before);
  CHECK(!check_replacement(before, fused));
  CHECK(has_fused(fused));
  CHECK(fused.node(1).label() == "act");
  CHECK(fused.node(1).named_inputs().front().name == "input");
  const Expansion expansion = expand(fused);
  CHECK(expansion.graph == before);
  CHECK(expansion.places == std::vector<std::vector<std::size_t>>{{0}, {1, 2}, {3}});
  CHECK(expansion.graph.node(2).label() == "act");
  CHECK(!has_fused(expansion.graph));
  const Graph swapped = graph_of({{"y", w.b.mul(w.b.sigmoid(y), y)}});
  CHECK(expand(recognize_swish(swapped)).graph == swapped);
  CHECK(has_fused(expand(fused, std::vector<std::size_t>{0, 2}).graph));
  CHECK(detail::state_of(expand(before).graph) == detail::state_of(before));
}

TEST_CASE("fused operators are not operators of WebNN") {
  for (const std::string_view name : fused::Operators::names)
    CHECK(std::ranges::count(ops::AllOps::names, name) == 0);
}

TEST_CASE("check_graph refuses a fused operator whose result is not that of its composition") {
  const auto data = std::make_shared<GraphData>();
  const MLOperand x =
      data->add({.descriptor = {float32, {2, 3}}, .kind = OperandKind::input, .name = "x"});
  const MLOperand y = data->add(Op::of(fused::swish{x}), {{float32, {3, 2}}}).front();
  data->outputs = {{"y", y}};
  const auto bad = check_graph(graph_of(std::shared_ptr<const GraphData>(data)));
  REQUIRE(bad);
  CHECK(bad->message == "swish: result 0 is float32 [3, 2], but its operands make float32 [2, 3]");
}
