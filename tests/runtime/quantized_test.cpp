// Quantized operators: what is offered to backends, what becomes of what they refuse, and results.
#include <cstdlib>

#include "src/graph/fused/composed_chain.h"
#include "src/graph/op.h"
#include "src/kernels/backends.h"
#include "src/runtime/graph_state.h"
#include "tests/runtime/own_backend.h"
#include "tests/runtime/quantized_network.h"
#include "tests/support/catch.h"
#include "tests/support/tensor.h"

using namespace webnn;
using Offers = std::vector<std::string>;

namespace {

/// Builders of one quantized layer after the other, of 1x1 convolutions of 4 channels.
struct Layers {
  MLGraphBuilder b;

  explicit Layers(const MLContext& context) : b(context) {}
  MLOperand scale(std::uint32_t rank) {
    return b.constant({float32, Dims(rank, 1)}, std::vector<float>{0.5f});
  }
  template <class T> MLOperand zero(MLOperandDataType type, std::uint32_t rank) {
    return b.constant({type, Dims(rank, 1)}, std::vector<T>{0});
  }
  MLOperand input(std::string name = "x") { return b.input(name, {int8, {1, 3, 3, 4}}); }
  MLOperand real(const MLOperand& x) {
    return b.dequantizeLinear(x, scale(x.rank()), zero<std::int8_t>(int8, x.rank()));
  }
  MLOperand integers(const MLOperand& x) {
    return b.quantizeLinear(x, scale(x.rank()), zero<std::int8_t>(int8, x.rank()));
  }
  MLOperand weights(std::int8_t value = 1) {
    return real(b.constant({int8, {4, 1, 1, 4}}, std::vector<std::int8_t>(16, value)));
  }
  MLOperand bias() {
    return b.dequantizeLinear(b.constant({int32, {4}}, std::vector<std::int32_t>{1, 2, 3, 4}),
                              scale(1), zero<std::int32_t>(int32, 1));
  }
  MLOperand conv(const MLOperand& x, const MLOperand& w,
                 std::optional<MLOperand> bias = std::nullopt) {
    return b.conv2d(x, w,
                    {.inputLayout = MLInputOperandLayout::nhwc,
                     .filterLayout = MLConv2dFilterOperandLayout::ohwi,
                     .bias = bias});
  }
};

/// The operators of a chain, those of quantized operators among them.
std::string names_of(Chain chain) {
  ComposedChain all{{}, {chain.begin(), chain.end()}};
  if (as<fused::quantizedOperator>(chain.front())) all = composed(chain);
  std::string s;
  for (const Node& node : all.nodes) s += (s.empty() ? "" : " ") + std::string(node.name());
  return s;
}

/// A backend that knows quantized operators, made of a function. Counts what it is offered.
struct KnowingBackend final : VersionedBackend {
  explicit KnowingBackend(Lowering (*f)(Chain)) : lower_(f) {}
  std::string_view name() const override { return "own"; }
  std::string version() const override { return "1"; }
  Lowering lower(Chain chain) const override {
    offers.push_back(names_of(chain));
    return lower_(chain);
  }
  mutable Offers offers{};

 private:
  Lowering (*lower_)(Chain);
};
std::shared_ptr<KnowingBackend> knowing_backend(Lowering (*f)(Chain)) {
  return std::make_shared<KnowingBackend>(f);
}

/// Takes quantized operators alone whose result is quantized, and fills results with ones.
Lowering take_quantized(Chain chain) {
  const Refusal no{"not quantized"};
  if (!as<fused::quantizedOperator>(chain.front()) || !chain.back().as<ops::quantizeLinear>())
    return no;
  for (const MLOperand& x : inputs_of(chain))
    if (x.dataType() == float32 && !x.constant()) return no;
  const std::size_t bytes = element_count(chain.back().output().shape());
  return Candidate{.name = "ones", .run = [bytes](Range, const Buffers& b, std::byte*) {
                     std::fill_n(b.out<std::int8_t>(), bytes, std::int8_t{1});
                   }};
}
const Plan& plan_of(const MLGraph& graph) { return detail::state_of(graph)->plan; }
Offers steps_of(const MLGraph& graph) {
  Offers all;
  for (const Step& s : plan_of(graph).steps) all.push_back(names_of(s.choice.chain));
  return all;
}
const char* const conv_chain =
    "dequantizeLinear dequantizeLinear dequantizeLinear conv2d relu quantizeLinear";

}  // namespace

TEST_CASE("a quantized operator is offered first, whole and not cut") {
  const auto own = knowing_backend(test::refuse);
  MLContext context({.threads = 1, .backends = {own, "reference"}});
  Layers l(context);
  const MLOperand y = l.b.relu(l.conv(l.real(l.input()), l.weights(), l.bias()));
  l.b.build({{"y", l.integers(y)}});
  REQUIRE(!own->offers.empty());
  CHECK(own->offers[0] == conv_chain);
  // Then with a float result, the operator and what follows or by itself.
  const std::string product = "dequantizeLinear dequantizeLinear dequantizeLinear conv2d";
  REQUIRE(own->offers.size() > 3);
  CHECK(own->offers[1] == product + " relu");
  CHECK(own->offers[2] == product);
  // Then its parts, as ever; and once more with the weights as floats.
  for (std::size_t i = 3; i < own->offers.size(); ++i) {
    CHECK(own->offers[i] != conv_chain);
    CHECK(own->offers[i].find("dequantizeLinear dequantizeLinear dequantizeLinear") ==
          std::string::npos);
  }
}

TEST_CASE("a custom backend is offered the operators of a quantized one, never all of them") {
  const auto own = test::own_backend(test::refuse);
  MLContext context({.threads = 1, .backends = {own}});
  Layers l(context);
  const MLOperand y = l.integers(l.b.relu(l.conv(l.real(l.input()), l.weights(), l.bias())));
  CHECK_THROWS_AS(l.b.build({{"y", y}}), OperationError);
  CHECK(std::ranges::count(own->offers, "dequantizeLinear") > 0);
  CHECK(std::ranges::count(own->offers, "conv2d relu quantizeLinear") > 0);
  for (const std::string& offer : own->offers) {
    CHECK(offer.find("quantizedOperator") == std::string::npos);
    CHECK(offer.find("dequantizeLinear dequantizeLinear") == std::string::npos);
  }
}

TEST_CASE("programs see the operators of a quantized one") {
  MLContext context({.threads = 1, .backends = {knowing_backend(take_quantized)}});
  Layers l(context);
  const MLGraph g = l.b.build({{"y", l.integers(l.conv(l.real(l.input()), l.weights()))}});
  const std::string expected = "dequantizeLinear dequantizeLinear conv2d quantizeLinear";
  const GraphReport report = g.report();
  CHECK(names_of(report.steps.at(0).operators) == expected);
  std::vector<Node> nodes;
  const Graph optimized = g.optimized();
  for (std::size_t i = 0; i < optimized.size(); ++i) nodes.push_back(optimized.node(i));
  CHECK(names_of(nodes) == expected);
}

TEST_CASE("inputs of the chain of a quantized operator") {
  static std::vector<MLOperandDataType> types;
  const auto own = knowing_backend([](Chain chain) -> Lowering {
    const std::vector<MLOperand> inputs = inputs_of(chain);
    const ComposedChain all = composed(chain);
    CHECK(std::ranges::equal(inputs, inputs_of(all.nodes),
                             [](const MLOperand& a, const MLOperand& b) { return a.is(b); }));
    for (const MLOperand& x : inputs) types.push_back(x.dataType());
    return take_quantized(chain);
  });
  MLContext context({.threads = 1, .backends = {own}});
  Layers l(context);
  const MLGraph g =
      l.b.build({{"y", l.integers(l.conv(l.real(l.input()), l.weights(), l.bias()))}});
  // Integers, scale and zero point of each operand, then those of the result.
  CHECK(types == std::vector{int8, float32, int8, int8, float32, int8, int32, float32, int32,
                             float32, int8});
  CHECK(steps_of(g).size() == 1);
  std::vector<std::int8_t> x(36), y(36);
  context.compute(g, {{"x", x}}, {{"y", y}});
  CHECK(y == std::vector<std::int8_t>(36, 1));
}

TEST_CASE("what is refused has its weights folded when it is built") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  Layers l(context);
  const MLGraph g =
      l.b.build({{"y", l.integers(l.b.relu(l.conv(l.real(l.input()), l.weights(), l.bias())))}});
  CHECK(steps_of(g) == Offers{"dequantizeLinear", "conv2d", "relu", "quantizeLinear"});
  std::vector<std::int8_t> x(36, 2), y(36);
  context.compute(g, {{"x", x}}, {{"y", y}});
  CHECK(g.explain().find("quantized, on floats: 1 x conv2d (reference: one operator at a time)") !=
        std::string::npos);
  // 4 * (2 * 0.5) * (1 * 0.5) + bias 0.5 i, in halves.
  CHECK(std::vector(y.begin(), y.begin() + 4) == std::vector<std::int8_t>{5, 6, 7, 8});
}

TEST_CASE("explain() counts what is refused, whatever the labels") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  Layers l(context);
  MLOperand y = l.input();
  for (const char* label : {"first", "second"})
    y = l.integers(l.b.conv2d(l.real(y), l.weights(),
                              {.inputLayout = MLInputOperandLayout::nhwc,
                               .filterLayout = MLConv2dFilterOperandLayout::ohwi,
                               .label = label}));
  CHECK(l.b.build({{"y", y}}).explain().find("quantized, on floats: 2 x conv2d (reference: ") !=
        std::string::npos);
}

TEST_CASE("of two readers of dequantized weights, only the one that is refused gets floats") {
  const auto own = knowing_backend(take_quantized);
  MLContext context({.threads = 1, .backends = {own, "reference"}});
  Layers l(context);
  const MLOperand w = l.weights();
  const MLOperand taken = l.integers(l.conv(l.real(l.input()), w));
  const MLOperand floats = l.conv(l.b.input("f", {float32, {1, 3, 3, 4}}), w);
  const MLGraph g = l.b.build({{"y", taken}, {"z", floats}});
  CHECK(steps_of(g) == Offers{"dequantizeLinear dequantizeLinear conv2d quantizeLinear", "conv2d"});
}

TEST_CASE("dequantizeLinear with several readers") {
  const auto own = knowing_backend(take_quantized);
  MLContext context({.threads = 1, .backends = {own, "reference"}});
  SECTION("is left out when only quantized operators read it") {
    Layers l(context);
    const MLOperand x = l.real(l.input());
    const MLOperand a = l.integers(l.conv(x, l.weights(1))),
                    c = l.integers(l.conv(x, l.weights(2)));
    const MLGraph g = l.b.build({{"y", l.integers(l.b.add(l.real(a), l.b.relu(l.real(c))))},
                                 {"z", l.integers(l.b.add(x, l.real(a)))}});
    const Offers steps = steps_of(g);
    CHECK(std::count(steps.begin(), steps.end(),
                     "dequantizeLinear dequantizeLinear conv2d quantizeLinear") == 2);
    CHECK(std::count(steps.begin(), steps.end(),
                     "dequantizeLinear dequantizeLinear add quantizeLinear") == 1);
  }
  SECTION("is computed for another reader") {
    Layers l(context);
    const MLOperand x = l.real(l.input());
    const MLGraph g = l.b.build({{"y", l.integers(l.conv(x, l.weights()))}, {"z", l.b.neg(x)}});
    const Offers steps = steps_of(g);
    CHECK(steps.size() == 3);
    CHECK(std::count(steps.begin(), steps.end(), "dequantizeLinear") == 1);
  }
  SECTION("is computed for an output") {
    Layers l(context);
    const MLOperand x = l.real(l.input());
    const MLGraph g = l.b.build({{"y", l.integers(l.conv(x, l.weights()))}, {"z", x}});
    CHECK(steps_of(g).size() == 2);
  }
}

TEST_CASE("what is not the chain of a quantized operator") {
  const auto own = knowing_backend(take_quantized);
  MLContext context({.threads = 1, .backends = {own, "reference"}});
  Layers l(context);
  SECTION("a result with a second reader") {
    const MLOperand y = l.conv(l.real(l.input()), l.weights());
    const MLGraph g = l.b.build({{"y", l.integers(y)}, {"z", l.b.neg(y)}});
    CHECK(steps_of(g).size() == 4);
  }
  SECTION("a result that is an output") {
    const MLOperand y = l.conv(l.real(l.input()), l.weights());
    CHECK(steps_of(l.b.build({{"y", l.integers(y)}, {"z", y}})).size() == 3);
  }
  SECTION("an operand that was never quantized") {
    const MLOperand f = l.b.input("f", {float32, {1, 3, 3, 4}});
    CHECK(steps_of(l.b.build({{"y", l.integers(l.b.add(l.real(l.input()), f))}})).size() == 3);
  }
}

TEST_CASE("the chain of a quantized operator in explain()") {
  MLContext context({.threads = 1, .backends = {knowing_backend(take_quantized)}});
  Layers l(context);
  MLOperand y = l.b.conv2d(l.real(l.input()), l.weights(),
                           {.inputLayout = MLInputOperandLayout::nhwc,
                            .filterLayout = MLConv2dFilterOperandLayout::ohwi,
                            .label = "stem"});
  const MLGraph g = l.b.build({{"y", l.integers(y)}});
  CHECK(g.explain().find("stem conv2d+quantizeLinear") != std::string::npos);
  CHECK(g.explain().find("own ones") != std::string::npos);
}

namespace {

std::vector<test::Tensor> results(const std::vector<BackendChoice>& backends, int threads,
                                  std::uint32_t seed, std::string& text) {
  MLContext context({.threads = threads, .backends = backends});
  MLGraphBuilder b(context);
  const NamedOperands outputs =
      test::QuantizedNetwork(b, seed).build(static_cast<int>(seed % 12) + 1);
  const MLGraph g = b.build(outputs);
  text = to_text(g.graph()) + g.explain();
  std::vector<std::byte> x(element_count(g.inputs().front().descriptor.shape));
  std::mt19937 random(seed);
  for (auto& v : x) v = static_cast<std::byte>(random());
  std::vector<test::Tensor> y;
  std::vector<NamedOutput> out;
  for (const auto& [name, d] : g.outputs())
    y.push_back({d.dataType, d.shape, std::vector<std::byte>(byte_length(d))});
  for (std::size_t i = 0; i < y.size(); ++i) out.push_back({g.outputs()[i].name, y[i].bytes});
  context.compute(g, {{"x", x}}, out);
  return y;
}
bool same(const std::vector<test::Tensor>& a, const std::vector<test::Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.bytes == y.bytes; });
}

}  // namespace

TEST_CASE("random quantized networks: the bits of the composition") {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    std::string plain, text;
    setenv("WEBNN_PASSES", "none", 1);
    const auto expected = results({"reference"}, 1, seed, plain);
    unsetenv("WEBNN_PASSES");
    const auto y = results({"reference"}, 2, seed, text);
    INFO("seed " << seed << "\n" << text);
    REQUIRE(same(y, expected));
  }
}

TEST_CASE("random quantized networks: integer kernels, within a unit in each layer") {
  const auto distance = [](const test::Tensor& a, const test::Tensor& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
  };
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    std::string plain, text;
    const auto y = results({}, 1, seed, text);
    INFO("seed " << seed << "\n" << text);
    REQUIRE(same(results({}, 2, seed, plain), y));
    if (seed % 12 != 0) continue;  // more than one layer: what is a unit in one grows in the next
    const auto exact = results({"reference"}, 1, seed, plain);
    for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(distance(y[i], exact[i]) <= 1);
  }
}
