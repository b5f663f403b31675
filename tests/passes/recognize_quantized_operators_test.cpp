#include "src/graph/fused/expand.h"
#include "src/graph/fused/quantized_operator.h"
#include "tests/passes/small_graphs.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Operands : Quantized {
  MLOperand x = real(input({4, 8}));

  MLOperand weights(Dims shape = {8, 5}) {
    const std::vector<std::int8_t> values(element_count(shape), 2);
    return real(b.constant({int8, std::move(shape)}, values));
  }
  MLOperand bias() {
    return b.dequantizeLinear(b.constant({int32, {5}}, std::vector<std::int32_t>(5, 7)), scale(1),
                              b.constant({int32, {1}}, std::vector<std::int32_t>{0}));
  }
};

/// What the pass makes, whose composition is the graph that it was made from.
Graph recognized(const NamedOperands& outputs) {
  const Graph before = graph_of(outputs);
  const Graph fused = recognize_quantized_operators(before);
  CHECK(!check_replacement(before, fused));
  const Expansion expansion = expand(fused);
  CHECK(expansion.graph == before);
  CHECK(!has_fused(expansion.graph));
  return fused;
}
Names names_of(const MLOperand& y) {
  Names all;
  const Graph g = recognized({{"y", y}});
  for (std::size_t i = 0; i < g.size(); ++i) {
    const bool fused = as<fused::quantizedOperator>(g.node(i)) != nullptr;
    all.push_back((fused ? "quantized " : "") + std::string(operator_name(g.node(i))));
  }
  return all;
}

}  // namespace

TEST_CASE("recognize_quantized_operators: products whose result is quantized") {
  Operands o;
  MLGraphBuilder& b = o.b;
  const Names gemm{"quantized gemm", "quantizeLinear"};
  CHECK(names_of(o.integers(b.gemm(o.x, o.weights()))) == gemm);
  CHECK(names_of(o.integers(b.gemm(o.x, o.weights(), {.c = o.bias()}))) == gemm);
  const MLOperand floats = b.constant({float32, {5}}, std::vector<float>(5, 0.5f));
  CHECK(names_of(o.integers(b.gemm(o.x, o.weights(), {.c = floats}))) == gemm);
  CHECK(names_of(o.integers(b.matmul(o.x, o.weights()))) ==
        Names{"quantized matmul", "quantizeLinear"});
  CHECK(names_of(o.integers(b.relu(b.gemm(o.x, o.weights())))) ==
        Names{"quantized gemm", "relu", "quantizeLinear"});
  const MLOperand image = o.real(o.input({1, 4, 6, 6}));
  CHECK(names_of(o.integers(b.conv2d(image, o.weights({5, 4, 3, 3}), {.bias = o.bias()}))) ==
        Names{"quantized conv2d", "quantizeLinear"});
  // Two activations.
  CHECK(names_of(o.integers(b.matmul(o.x, o.real(o.input({8, 3}))))) ==
        Names{"quantized matmul", "quantizeLinear"});
}

TEST_CASE("recognize_quantized_operators: products with constant weights whose result is floats") {
  Operands o;
  MLGraphBuilder& b = o.b;
  CHECK(names_of(b.gemm(o.x, o.weights())) == Names{"quantized gemm"});
  const MLOperand scale = b.input("scale", {float32, {1, 1}});
  const MLOperand x = b.dequantizeLinear(o.input({4, 8}), scale, o.zero(2));  // at run time
  CHECK(names_of(b.tanh(b.mul(b.matmul(x, o.weights()), scale))) ==
        Names{"quantized matmul", "mul", "tanh"});
}

TEST_CASE("recognize_quantized_operators: operators of elements, windows and rows") {
  Operands o;
  MLGraphBuilder& b = o.b;
  const MLOperand other = o.real(o.input({4, 8}));
  CHECK(names_of(o.integers(b.add(o.x, other))) == Names{"quantized add", "quantizeLinear"});
  CHECK(names_of(o.integers(b.mul(o.x, o.x))) == Names{"quantized mul", "quantizeLinear"});
  CHECK(names_of(o.integers(b.sigmoid(o.x))) == Names{"quantized sigmoid", "quantizeLinear"});
  CHECK(names_of(o.integers(b.max(o.x, b.constant(float32, 0.5)))) ==
        Names{"quantized max", "quantizeLinear"});
  CHECK(names_of(o.integers(b.softmax(o.x, 1))) == Names{"quantized softmax", "quantizeLinear"});
  CHECK(names_of(o.integers(b.concat(std::vector{o.x, other, o.x}, 1))) ==
        Names{"quantized concat", "quantizeLinear"});
  CHECK(names_of(o.integers(o.x, 2)) == Names{"quantized quantizeLinear"});
}

TEST_CASE("recognize_quantized_operators: operands that are reshaped") {
  Operands o;
  MLGraphBuilder& b = o.b;
  const MLOperand x = b.reshape(o.real(o.input({2, 2, 8})), {4, 8});
  const MLOperand w = b.reshape(o.weights({5, 8}), {8, 5});
  CHECK(names_of(o.integers(b.gemm(x, w))) == Names{"quantized gemm", "quantizeLinear"});
  CHECK(names_of(o.integers(b.reshape(o.x, {32}), 2)) == Names{"quantized quantizeLinear"});
}

TEST_CASE("recognize_quantized_operators: a dequantizeLinear that others read stays one") {
  Operands o;
  MLGraphBuilder& b = o.b;
  const MLOperand y = o.integers(b.gemm(o.x, o.weights()));
  for (const bool after : {false, true}) {
    NamedOperands outputs{{"y", y}, {"z", b.neg(o.x)}, {"x", o.x}};
    if (!after) std::swap(outputs[0], outputs[1]);
    const Graph fused = recognize_quantized_operators(graph_of(outputs));
    CHECK(count(fused, "quantizedOperator") == 1);
    CHECK(count(fused, "dequantizeLinear") == 1);
    const Expansion expansion = expand(fused);
    CHECK(count(expansion.graph, "dequantizeLinear") == 2);  // that of x, and that of the weights
    for (std::size_t i = 0; i < fused.size(); ++i) {
      const bool quantized = as<fused::quantizedOperator>(fused.node(i)) != nullptr;
      CHECK(expansion.places[i].size() == (quantized ? 3 : 1));
    }
  }
}

TEST_CASE("recognize_quantized_operators leaves what kernels take no integers for") {
  Operands o;
  MLGraphBuilder& b = o.b;
  const MLOperand floats = b.input("f", {float32, {4, 8}});
  const MLOperand y = b.relu(o.x);
  for (const NamedOperands& outputs : {
           NamedOperands{{"y", o.integers(b.add(o.x, floats))}},        // not quantized
           NamedOperands{{"y", b.relu(o.x)}},                           // floats
           NamedOperands{{"y", b.gemm(floats, o.weights())}},           // floats and integers
           NamedOperands{{"y", b.gemm(o.x, o.real(o.input({8, 3})))}},  // two activations
           NamedOperands{{"y", o.integers(y)}, {"z", b.neg(y)}},        // the result is read
           NamedOperands{{"y", o.integers(y)}, {"z", y}},               // it is an output
           NamedOperands{{"y", o.integers(b.gemm(b.transpose(o.x), floats))}},
       }) {
    const Graph before = graph_of(outputs);
    CHECK(recognize_quantized_operators(before) == before);
  }
}

TEST_CASE("quantizedOperator keeps the label and the attributes of its operator") {
  Operands o;
  const MLOperand y = o.b.gemm(o.x, o.weights(), {.alpha = 0.5, .label = "dense"});
  const Graph fused = recognized({{"y", o.integers(y)}});
  const Node node = fused.node(0);
  CHECK(node.label() == "dense");
  CHECK(node.name() == "quantizedOperator");
  CHECK(node.attributes().front().name == "operator");
  CHECK(node.attributes().front().value == "gemm alpha=0.5");
  const Graph again = expand(fused).graph;
  CHECK(again.node(2).label() == "dense");
  // Equality and hashing see the attributes of the operator.
  const Graph other = recognized({{"y", o.integers(o.b.gemm(o.x, o.weights(), {.alpha = 0.25}))}});
  CHECK_FALSE(other == fused);
  CHECK(recognized({{"y", o.integers(y)}}) == fused);
  CHECK(hash_of(recognized({{"y", o.integers(y)}})) == hash_of(fused));
}

TEST_CASE("check_graph refuses a quantizedOperator whose composition is not valid") {
  Operands o;
  const Graph fused =
      recognize_quantized_operators(graph_of({{"y", o.b.gemm(o.x, o.weights(), {.c = o.bias()})}}));
  const auto& whole = *as<fused::quantizedOperator>(fused.node(0));
  const auto refusal = [&](const std::function<void(fused::quantizedOperator&)>& change) {
    const Graph changed = graph_of(copy(data_of(fused), fused.outputs(),
                                        [&](GraphData& to, const Op& op, const NodeData& old) {
                                          auto now = *op.as<fused::quantizedOperator>();
                                          change(now);
                                          return to.add(Op::of(now), {old.outputs[0].descriptor()});
                                        }));
    const auto bad = check_graph(changed);
    return bad ? bad->message : "";
  };
  CHECK(refusal([](auto&) {}).empty());
  const std::string operands = "quantizedOperator: the operands (9) are not those of its operator";
  CHECK(refusal([](auto& op) { op.operands = {0, 1}; }) == operands);
  CHECK(refusal([](auto& op) { op.operands = {0, 1, 3}; }) == operands);
  CHECK(refusal([](auto& op) { op.operands = {1, 0, 2}; }) == operands);
  CHECK(refusal([](auto& op) { op.operands = {0, 1, 1}; }) == operands);
  CHECK(refusal([](auto& op) { op.shapes.resize(4); }) == operands);
  CHECK(refusal([](auto& op) { op.form = {}; }) == operands);
  CHECK(refusal([](auto& op) {
          std::swap(op.inputs[0], op.inputs[1]);
        }).starts_with("quantizedOperator: "));
  CHECK(refusal([](auto& op) { op.shapes[0].emplace(1, 31); }).starts_with("quantizedOperator: "));
  CHECK(refusal([](auto& op) { op.dataType = int32; }) ==
        "quantizedOperator: the data type of its result is not int32");
  CHECK(whole.inputs.size() == 9);
}

TEST_CASE("recognize_quantized_operators: float8e4m3 is no integer") {
  Operands o;
  MLGraphBuilder& b = o.b;
  const MLOperand scale = b.constant({float32, {1, 1}}, {0.5}),
                  zero = b.constant({float8e4m3, {1, 1}}, {0.0});
  const auto real = [&](const MLOperand& x) { return b.dequantizeLinear(x, scale, zero); };
  const MLOperand x = real(b.input("q", {float8e4m3, {4, 8}}));
  const MLOperand w =
      real(b.constant({float8e4m3, {8, 5}}, std::vector<double>(std::size_t{40}, 1.5)));
  const auto is_plain = [](const MLOperand& y) {
    for (const std::string& name : names_of(y))
      if (name.starts_with("quantized")) return false;
    return true;
  };
  CHECK(is_plain(b.quantizeLinear(b.relu(x), scale, zero)));
  CHECK(is_plain(b.quantizeLinear(b.relu(o.x), scale, zero)));
  CHECK(is_plain(o.integers(b.relu(x))));
  CHECK(is_plain(b.matmul(x, w)));
  CHECK(is_plain(b.matmul(o.x, w)));
  CHECK(is_plain(b.matmul(x, o.weights())));
  CHECK(is_plain(b.quantizeLinear(b.matmul(x, w), scale, zero)));
}
