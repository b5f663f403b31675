// What the other passes make of a graph: which operators are left.
#include "src/builder/builder_state.h"
#include "tests/passes/small_graphs.h"
#include "webnn/float16.h"

using namespace webnn;
using namespace webnn::test;

TEST_CASE("narrow_to_float32: a float16 graph is one of float32 with casts around it") {
  Net n;
  const MLOperand x = n.b.input("x", {float16, {2, 8}});
  const MLOperand h = n.b.relu(n.b.linear(x, {.alpha = 0.1}));
  const Graph g = optimized({{"y", n.b.softmax(h, 1)}});
  CHECK(names(g) == Names{"cast", "linear", "relu", "softmax", "cast"});
  CHECK(g.node(3).output().dataType() == float32);
  CHECK(g.outputs()[0].operand.dataType() == float16);
  // Coefficients keep the value that they have as float16.
  CHECK(g.node(1).as<ops::linear>()->options.alpha == double{float{Float16(0.1f)}});
}

TEST_CASE("narrow_to_float32: what only moves elements stays float16, and what decides sees it") {
  Net n;
  const MLOperand x = n.b.input("x", {float16, {4, 8}});
  CHECK(names(optimized({{"y", n.b.transpose(x)}})) == Names{"transpose"});
  CHECK(names(optimized({{"y", n.b.greater(x, n.b.reverse(x))}})) == Names{"reverse", "greater"});

  const MLOperand e = n.b.exp(x);
  const Graph g = optimized({{"moved", n.b.tile(e, {1, 2})}, {"finite", n.b.isInfinite(e)}});
  CHECK(count(g, "cast") == 3);  // x; exp for isInfinite; the first output
  for (std::size_t i = 0; i < g.size(); ++i) {
    const Node node = g.node(i);
    if (node.name() == "tile") CHECK(node.inputs()[0].dataType() == float32);
    if (node.name() == "isInfinite") CHECK(node.inputs()[0].dataType() == float16);
  }

  const Graph rest = optimized({{"y", n.b.modulusFloor(e, n.b.modulusTruncate(x, e))}});
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const Node node = rest.node(i);
    if (node.name().starts_with("modulus")) CHECK(node.inputs()[0].dataType() == float16);
  }
}

TEST_CASE("narrow_to_float32: new rows behind a cache are rounded, and the cache is not cast") {
  Net n;
  const MLOperand past = n.b.input("past", {float16, {3, 8}}),
                  fresh = n.b.exp(n.b.input("fresh", {float16, {1, 8}}));
  const MLOperand all = n.b.concat({past, fresh}, 0);
  const Graph g = optimized({{"all", all}, {"y", n.b.softmax(all, 1)}});
  CHECK(names(g) == Names{"cast", "exp", "cast", "concat", "cast", "softmax", "cast"});
  CHECK(g.node(3).output().dataType() == float16);
  CHECK(g.node(3).inputs()[0].record().kind == OperandKind::input);
  // Where the rows are no output, nothing is rounded.
  const MLOperand front = n.b.concat({past, n.b.exp(fresh)}, 0);
  CHECK(names(optimized({{"y", n.b.softmax(front, 1)}})) ==
        Names{"cast", "cast", "exp", "exp", "concat", "softmax", "cast"});
}

TEST_CASE("narrow_to_float32: two results, and constants") {
  Net n;
  const MLOperand x = n.b.input("x", {float16, {1, 1, 3}});
  const auto weights = [&](Dims shape) {
    const std::vector<Float16> v(element_count(shape), Float16(0.25f));
    return n.b.constant({float16, std::move(shape)}, v);
  };
  const auto y = n.b.gru(x, weights({1, 6, 3}), weights({1, 6, 2}), 1, 2, {.returnSequence = true});
  const Graph g = optimized({{"last", y[0]}, {"all", y[1]}});
  CHECK(names(g) == Names{"cast", "gru", "cast", "cast"});
  CHECK(g.node(1).inputs()[1].dataType() == float32);
  CHECK(first(g.node(1).inputs()[1]) == 0.25f);
}

TEST_CASE("narrow_to_float32: what follows from small constants is rounded to float16") {
  // As importers compute it while a file is read that has no open dimensions.
  Net n;
  detail::state_of(n.b)->data.relies_on_known_sizes = true;
  const MLOperand x = n.b.input("x", {float16, {4}});
  const auto constant = [&](float value) {
    return n.b.constant({float16, {1}}, std::vector<Float16>{Float16(value)});
  };
  const MLOperand product = n.b.mul(constant(1.001f), constant(3.007f));
  const Graph g = optimized({{"y", n.b.sub(x, product)}});
  REQUIRE(names(g) == Names{"cast", "sub", "cast"});
  const float exact = float{Float16(1.001f)} * float{Float16(3.007f)};
  CHECK(exact != float{Float16(exact)});
  CHECK(first(g.node(1).inputs()[1]) == float{Float16(exact)});
}

TEST_CASE("move_reshapes: convolutions in one dimension follow one another") {
  Net n;
  MLOperand x = n.b.input("x", {float32, {1, 4, 9}});
  const auto conv = [&](const MLOperand& v) {
    const MLOperand image = n.b.reshape(v, {1, 4, 1, 9});
    const MLOperand y = n.b.conv2d(image, n.weights({4, 4, 1, 3}), {.padding = {0, 0, 1, 1}});
    return n.b.reshape(y, {1, 4, 9});
  };
  const MLOperand first = conv(x);
  const MLOperand sum = n.b.add(conv(n.b.relu(first)), n.b.mul(first, n.weights({1}, 2)));
  const Graph g = move_reshapes(graph_of({{"y", conv(n.b.tanh(sum))}}));
  CHECK(names(g) ==
        Names{"reshape", "conv2d", "relu", "conv2d", "mul", "add", "tanh", "conv2d", "reshape"});
  CHECK(g.outputs()[0].operand.shape() == Dims{1, 4, 9});
  CHECK(names(optimized({{"y", conv(n.b.tanh(sum))}})) ==
        Names{"reshape", "transpose", "conv2d", "relu", "conv2d", "mul", "add", "tanh", "conv2d",
              "transpose", "reshape"});
}

TEST_CASE("move_reshapes: what stays") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {2, 6}}), flat = n.b.reshape(x, {12});
  const auto after = [&](const MLOperand& y) {
    return names(move_reshapes(graph_of({{"y", n.b.reshape(y, {3, 4})}})));
  };
  CHECK(after(n.b.neg(flat)) == Names{"neg", "reshape"});
  CHECK(after(n.b.add(flat, n.weights({12}))) == Names{"reshape", "add", "reshape"});
  CHECK(after(n.b.mul(flat, n.b.reshape(n.b.input("z", {float32, {4, 3}}), {12}))) ==
        Names{"reshape", "reshape", "mul", "reshape"});
  CHECK(after(n.b.cumulativeSum(flat, 0)) == Names{"reshape", "cumulativeSum", "reshape"});
  // A shape of more dimensions would stay.
  CHECK(after(n.b.reshape(n.b.add(flat, n.weights({1, 1, 1})), {12})) ==
        Names{"reshape", "add", "reshape"});
  // Nothing is moved for nothing, and an output is not an input.
  CHECK(names(move_reshapes(graph_of({{"y", n.b.neg(flat)}}))) == Names{"reshape", "neg"});
  CHECK(names(move_reshapes(graph_of({{"y", n.b.reshape(flat, {2, 6})}}))) == Names{"reshape"});
}

TEST_CASE("remove_identity") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {4}});
  const MLOperand y = n.b.identity(n.b.cast(n.b.identity(n.b.neg(n.b.identity(x))), float32));
  // What reads an input or a constant stays: an output must not become one.
  CHECK(names(remove_identity(graph_of({{"y", y}}))) == Names{"identity", "neg"});
  CHECK(names(remove_identity(graph_of({{"y", n.b.cast(n.b.neg(x), int32)}}))) ==
        Names{"neg", "cast"});
  const Graph two = remove_identity(graph_of({{"y", y}, {"z", n.b.identity(x)}}));
  REQUIRE(two.outputs().size() == 2);
  CHECK(names(two) == Names{"identity", "neg", "identity"});
  const MLOperand padded = n.b.pad(n.b.neg(x), {0}, {0}, {.mode = MLPaddingMode::edge});
  CHECK(names(remove_identity(graph_of({{"y", padded}}))) == Names{"neg"});
  CHECK(names(remove_identity(graph_of({{"y", n.b.pad(padded, {0}, {1})}}))) ==
        Names{"neg", "pad"});
}

TEST_CASE("fold_constants") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {4}});
  const MLOperand c = n.b.constant({float32, {4}}, {1.f, 2.f, 3.f, 4.f});
  const MLOperand folded = n.b.exp(n.b.mul(c, n.b.neg(c)));
  const Graph g = fold_constants(graph_of({{"y", n.b.add(x, folded)}, {"c", folded}}));
  CHECK(names(g) == Names{"add"});
  CHECK(first(g.outputs()[1].operand) == std::exp(-1.f));
  // Not what would make the graph much larger.
  const MLOperand large = n.b.expand(n.b.constant(float32, 1), {1024, 1024});
  CHECK(names(fold_constants(graph_of({{"y", n.b.neg(large)}}))) == Names{"expand", "neg"});
  const MLOperand little = n.b.expand(n.b.constant(float32, 1), {16, 4});
  CHECK(names(fold_constants(graph_of({{"y", n.b.add(little, x)}}))) == Names{"add"});
}

TEST_CASE("fold_constants: weights that the graph quantizes are integers") {
  Quantized n;
  const MLOperand filter = n.real(n.integers(n.weights({3, 2}, 4)));
  const Graph g =
      fold_constants(graph_of({{"y", n.integers(n.b.matmul(n.real(n.input({1, 3})), filter))}}));
  CHECK(names(g) == Names{"dequantizeLinear", "dequantizeLinear", "matmul", "quantizeLinear"});
  const Node weights = g.node(1).input(0).constant() ? g.node(1) : g.node(0);
  REQUIRE(weights.input(0).constant());
  CHECK(weights.input(0).constant()->bytes()[0] == std::byte{11});  // 4 / 0.5 + 3
  // They become numbers for an operator that computes with numbers.
  CHECK(names(fold_constants(graph_of({{"y", n.b.matmul(n.real(n.input({1, 3})), filter)}}))) ==
        Names{"dequantizeLinear", "matmul"});
}

TEST_CASE("eliminate_common_subexpressions") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {4}}), y = n.b.input("y", {float32, {4}});
  const auto twice = [&](const MLOperand& a, const MLOperand& b) {
    return names(eliminate_common_subexpressions(
        graph_of({{"y", n.b.concat({n.b.neg(a), n.b.neg(b)}, 0)}})));
  };
  CHECK(twice(n.b.tanh(x), n.b.tanh(x)) == Names{"tanh", "neg", "concat"});
  CHECK(twice(n.b.tanh(x), n.b.tanh(y)).size() == 5);
  CHECK(twice(n.b.elu(x, {.alpha = 2}), n.b.elu(x, {.alpha = 2, .label = "l"})).size() == 3);
  CHECK(twice(n.b.elu(x, {.alpha = 2}), n.b.elu(x, {.alpha = 3})).size() == 5);
  CHECK(twice(n.b.linear(x, {.beta = 0.0}), n.b.linear(x, {.beta = -0.0})).size() == 5);
  CHECK(twice(n.b.sub(x, y), n.b.sub(y, x)).size() == 5);
}

TEST_CASE("fold_padding") {
  Net n;
  const auto check = [&](const Dims& begin, const Dims& end, MLPadOptions o) {
    const MLOperand x = n.b.input("x" + std::to_string(detail::state_of(n.b)->data.inputs.size()),
                                  {float32, {1, 3, 8, 8}});
    const Graph g = fold_padding(graph_of({{"y", n.conv(n.b.pad(x, begin, end, o), 4, 3)}}));
    const Node last = g.node(g.size() - 1);
    return g.size() == 1 ? last.as<ops::conv2d>()->options.padding : Dims{};
  };
  CHECK(check({0, 0, 1, 2}, {0, 0, 3, 4}, {}) == Dims{2, 4, 3, 5});
  CHECK(check({0, 0, 1, 1}, {0, 0, 1, 1}, {.value = -0.0}) == Dims{2, 2, 2, 2});
  CHECK(check({0, 0, 1, 1}, {0, 0, 1, 1}, {.value = 1}).empty());
  CHECK(check({0, 0, 1, 1}, {0, 0, 1, 1}, {.mode = MLPaddingMode::edge}).empty());
  CHECK(check({0, 1, 1, 1}, {0, 0, 1, 1}, {}).empty());
  CHECK(check({1, 0, 1, 1}, {0, 0, 1, 1}, {}).empty());
}

TEST_CASE("fold_into_weights") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {1, 3, 8, 8}});
  const auto norm = [&](const MLOperand& v, std::uint32_t axis = 1) {
    const Dims c{v.shape()[axis]};
    return n.b.batchNormalization(v, n.weights(c, 1), n.weights(c, 4),
                                  {.bias = n.weights(c, 3), .axis = axis, .epsilon = 0});
  };
  SECTION("batchNormalization, sums and products in a row") {
    const MLOperand y =
        n.b.mul(n.b.add(norm(n.conv(x, 5)), n.weights({5, 1, 1}, 7)), n.b.constant(float32, 2));
    const Graph g = fold_into_weights(graph_of({{"y", y}}));
    REQUIRE(names(g) == Names{"conv2d"});
    const auto* conv = g.node(0).as<ops::conv2d>();
    CHECK(first(conv->filter) == 0.5f);                   // 0.5 / sqrt(4) * 2
    CHECK(first(*conv->options.bias) == (2.5f + 7) * 2);  // (0 - 1) / 2 + 3
  }
  SECTION("not over another axis") {
    CHECK(fold_into_weights(graph_of({{"y", norm(n.conv(x, 8), 2)}})).size() == 2);
    CHECK(fold_into_weights(graph_of({{"y", n.b.mul(n.conv(x, 8), n.weights({8}))}})).size() == 2);
  }
  SECTION("not when what is between has another reader") {
    const MLOperand c = n.conv(x, 8);
    CHECK(fold_into_weights(graph_of({{"y", norm(c)}, {"c", c}})).size() == 2);
    CHECK(fold_into_weights(graph_of({{"y", n.b.add(norm(c), n.b.relu(c))}})).size() == 4);
  }
  SECTION("not what is not finite") {
    const MLOperand zero = n.weights({8}, 0);
    const MLOperand y = n.b.batchNormalization(n.conv(x, 8), zero, zero, {.epsilon = 0});
    CHECK(fold_into_weights(graph_of({{"y", y}})).size() == 2);
  }
  SECTION("not what would overflow or lose its last bits") {
    const auto scaled = [&](double factor) {
      const MLOperand y = n.b.mul(n.conv(x, 8), n.b.constant(float32, factor));
      return fold_into_weights(graph_of({{"y", y}})).size();
    };
    CHECK(scaled(1e30) == 1);
    CHECK(scaled(3e38) == 1);
    CHECK(scaled(1e-38) == 2);
    const MLOperand c = n.conv(x, 8);
    const MLOperand y = n.b.mul(n.b.mul(c, n.b.constant(float32, 4)), n.b.constant(float32, 3e38));
    CHECK(fold_into_weights(graph_of({{"y", y}})).size() == 2);
  }
  SECTION("a long row") {
    MLOperand y = n.conv(x, 2);
    for (int i = 0; i < 300; ++i) y = n.b.add(y, n.b.constant(float32, 1));
    const Graph g = fold_into_weights(graph_of({{"y", y}}));
    REQUIRE(g.size() == 1);
    CHECK(first(*g.node(0).as<ops::conv2d>()->options.bias) == 300);
  }
}

TEST_CASE("concat_to_scatter") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {3, 8, 4}}),
                  u = n.b.input("u", {float32, {3, 1, 4}});
  const auto part = [&](std::uint32_t begin, std::uint32_t size, const MLOperand& from) {
    return n.b.slice(from, {0, begin, 0}, {3, size, 4});
  };
  const auto after = [&](const std::vector<MLOperand>& parts) {
    return names(concat_to_scatter(graph_of({{"y", n.b.concat(parts, 1)}})));
  };
  const Names scattered{"scatterElements"};
  CHECK(after({part(0, 3, x), u, part(4, 4, x)}) == scattered);
  CHECK(after({u, part(1, 7, x)}) == scattered);
  CHECK(after({part(0, 7, x), u}) == scattered);
  // Slices at other places, of what is no input, two values, more than a quarter, another size.
  CHECK(after({part(1, 7, x), u}).size() == 2);
  const MLOperand e = n.b.exp(x);
  CHECK(after({part(0, 7, e), u}).size() == 3);
  CHECK(after({part(0, 3, x), u, u, part(5, 3, x)}).size() == 3);
  CHECK(after({part(0, 5, x), part(0, 3, e)}).size() == 4);
  CHECK(after({part(0, 3, x), u}).size() == 2);
}
