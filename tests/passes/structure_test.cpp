// What the passes make of a graph: which operators are left.
#include <cmath>
#include <cstring>

#include "src/builder/builder_state.h"
#include "src/builder/validate.h"
#include "src/passes/passes.h"
#include "tests/support/catch.h"
#include "webnn/float16.h"
#include "webnn/webnn.h"

using namespace webnn;
using Names = std::vector<std::string>;

namespace {

struct Net {
  MLContext context{{.threads = 1, .backends = {"reference"}}};
  MLGraphBuilder b{context};

  MLOperand weights(Dims shape, float value = 0.5f) {
    const std::vector<float> v(element_count(shape), value);
    return b.constant({float32, std::move(shape)}, v);
  }
  MLOperand conv(const MLOperand& x, std::uint32_t out, std::uint32_t kernel = 1,
                 std::uint32_t groups = 1, std::uint32_t stride = 1) {
    const std::uint32_t p = kernel / 2;
    return b.conv2d(x, weights({out, x.shape()[1] / groups, kernel, kernel}),
                    {.padding = {p, p, p, p}, .strides = {stride, stride}, .groups = groups});
  }
  MLOperand relu6(const MLOperand& x) { return b.clamp(x, {.minValue = 0, .maxValue = 6}); }
};

Graph graph_of(const NamedOperands& outputs) {
  return graph_of(copy(*owner_of(outputs.front().operand), outputs));
}
Names names(const Graph& g) {
  Names all;
  for (std::size_t i = 0; i < g.size(); ++i) all.emplace_back(g.node(i).name());
  return all;
}
std::size_t count(const Graph& g, std::string_view name) {
  const Names all = names(g);
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), name));
}
Graph optimized(const NamedOperands& outputs) {
  std::vector<PassReport> report;
  return optimize(graph_of(outputs), chosen_passes(), report);
}
float first(const MLOperand& constant) {
  float v = 0;
  std::memcpy(&v, constant.constant()->bytes().data(), 4);
  return v;
}

}  // namespace

TEST_CASE("float16_to_float32: a float16 graph is one of float32 with casts around it") {
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

TEST_CASE("float16_to_float32: what only moves elements stays float16, and what decides sees it") {
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
}

TEST_CASE("float16_to_float32: two results, and constants") {
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

TEST_CASE("convert_to_nhwc: a MobileNet in nchw has transpositions at its borders alone") {
  Net n;
  MLOperand y = n.b.input("x", {float32, {1, 3, 32, 32}});
  y = n.relu6(n.conv(y, 8, 3, 1, 2));
  for (int block = 0; block < 4; ++block) {
    const MLOperand from = y;
    y = n.relu6(n.conv(y, 24));
    y = n.relu6(n.conv(y, 24, 3, 24));
    y = n.b.add(n.conv(y, 8), from);
  }
  const MLOperand image = y;
  y = n.b.averagePool2d(n.b.relu(y), {});
  SECTION("to a vector") {
    y = n.b.gemm(n.b.reshape(y, {1, 8}), n.weights({8, 10}));
    const Graph g = optimized({{"y", y}});
    CHECK(count(g, "transpose") <= 2);
    std::size_t moves = 0;  // one of them moves no element: height and width are 1
    for (std::size_t i = 0; i < g.size(); ++i)
      if (const auto* t = g.node(i).as<ops::transpose>()) moves += t->input.shape()[1] > 1;
    CHECK(moves == 1);
    CHECK(g.node(0).as<ops::transpose>());
    for (std::size_t i = 0; i < g.size(); ++i)
      if (const auto* c = g.node(i).as<ops::conv2d>())
        CHECK(c->options.inputLayout == MLInputOperandLayout::nhwc);
  }
  SECTION("to an image") {
    const Graph g = optimized({{"y", image}});
    CHECK(count(g, "transpose") == 2);
    CHECK(g.node(0).as<ops::transpose>());
    CHECK(g.node(g.size() - 1).as<ops::transpose>());
  }
}

TEST_CASE("convert_to_nhwc: what is carried through") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {1, 4, 8, 8}});
  const MLOperand c = n.conv(x, 4, 3);
  const auto transposes = [&](const MLOperand& y) {
    return count(optimized({{"y", n.conv(y, 2)}}), "transpose");
  };
  CHECK(transposes(n.b.relu(c)) == 2);
  CHECK(transposes(n.b.add(c, n.weights({4, 1, 1}))) == 2);
  CHECK(transposes(n.b.mul(n.weights({8}), c)) == 2);  // along the width: a constant is moved
  CHECK(transposes(n.b.prelu(c, n.weights({4, 1, 1}))) == 2);
  CHECK(transposes(n.b.concat({c, n.conv(x, 3)}, 1)) == 2);
  CHECK(transposes(n.b.split(c, 2, {.axis = 1})[1]) == 2);
  CHECK(transposes(n.b.pad(c, {0, 1, 1, 0}, {0, 0, 1, 0}, {.value = 1})) == 2);
  CHECK(transposes(n.b.slice(c, {0, 1, 0, 0}, {1, 2, 8, 8})) == 2);
  CHECK(transposes(n.b.softmax(c, 1)) == 2);
  CHECK(transposes(n.b.reduceMean(c, {.axes = {2, 3}, .keepDimensions = true})) <= 2);
  CHECK(transposes(n.b.resample2d(c, {.scales = {2, 2}, .axes = {2, 3}})) == 2);
  CHECK(transposes(n.b.instanceNormalization(c)) == 2);
  CHECK(transposes(n.b.maxPool2d(c, {.windowDimensions = {2, 2}})) == 2);
  CHECK(transposes(n.b.where(n.b.greater(c, n.b.constant(float32, 0)), c, n.b.neg(c))) == 2);
  // The order of the caller and back.
  const MLOperand nhwc = n.b.transpose(c, {.permutation = {0, 2, 3, 1}});
  CHECK(transposes(n.b.transpose(n.b.tanh(nhwc), {.permutation = {0, 3, 1, 2}})) == 2);
  // A batchNormalization that cannot be folded.
  const MLOperand v = n.b.input("v", {float32, {4}});
  CHECK(transposes(n.b.batchNormalization(c, v, v)) == 2);
}

TEST_CASE("convert_to_nhwc: squeeze and excitation") {
  Net n;
  const MLOperand x = n.conv(n.b.input("x", {float32, {1, 4, 8, 8}}), 8, 3);
  const MLOperand mean = n.b.reduceMean(x, {.axes = {2, 3}, .keepDimensions = true});
  const MLOperand gate = n.b.sigmoid(n.conv(n.b.relu(n.conv(mean, 2)), 8));
  CHECK(count(optimized({{"y", n.conv(n.b.mul(gate, x), 4)}}), "transpose") == 2);
}

TEST_CASE("convert_to_nhwc: transpositions that meet their inverse leave an input as an output") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {2, 3, 4}});
  const MLOperand y =
      n.b.transpose(n.b.transpose(x, {.permutation = {2, 0, 1}}), {.permutation = {1, 2, 0}});
  const MLGraph g = n.b.build({{"y", y}, {"z", n.b.transpose(x)}});
  CHECK(g.optimized().size() == 1);
  std::vector<float> in(24), out(24), z(24);
  for (std::size_t i = 0; i < 24; ++i) in[i] = static_cast<float>(i);
  n.context.compute(g, {{"x", in}}, {{"y", out}, {"z", z}});
  CHECK(out == in);
  CHECK(z[1] == 12);
}

namespace {

/// Integers and their scale.
struct Quantized : Net {
  MLOperand scale(std::size_t rank, float s = 0.5f) {
    return b.constant({float32, Dims(rank, 1)}, std::vector<float>{s});
  }
  MLOperand zero(std::size_t rank, std::int8_t z = 3) {
    return b.constant({int8, Dims(rank, 1)}, std::vector<std::int8_t>{z});
  }
  MLOperand input(Dims shape) {
    return b.input("x" + std::to_string(inputs++), {int8, std::move(shape)});
  }
  int inputs = 0;
  MLOperand real(const MLOperand& x) {
    return b.dequantizeLinear(x, scale(x.rank()), zero(x.rank()));
  }
  MLOperand integers(const MLOperand& x, float s = 0.5f) {
    return b.quantizeLinear(x, scale(x.rank(), s), zero(x.rank()));
  }
};

}  // namespace

TEST_CASE("move_quantization: operators that move elements work on integers") {
  Quantized n;
  const MLOperand x = n.real(n.input({1, 4, 4, 2}));
  const MLOperand moved =
      n.b.slice(n.b.pad(n.b.transpose(x), {0, 1, 0, 0}, {0, 0, 1, 0}), {0, 0, 0, 0}, {2, 5, 5, 1});
  const MLOperand parts =
      n.b.concat(std::vector{n.b.reshape(moved, {50}), n.b.reshape(x, {32})}, 0);
  CHECK(names(optimized({{"y", n.integers(parts)}})) ==
        Names{"pad", "slice", "transpose", "reshape", "reshape", "concat"});
}

TEST_CASE("move_quantization: padding keeps the zero point") {
  Quantized n;
  const Graph g = optimized({{"y", n.integers(n.b.pad(n.real(n.input({2, 2})), {1, 1}, {0, 0}))}});
  REQUIRE(names(g) == Names{"pad"});
  CHECK(g.node(0).as<ops::pad>()->options.value.as_double() == 3);
  const MLOperand other = n.b.pad(n.real(n.input({2, 2})), {1, 1}, {0, 0}, {.value = 1});
  CHECK(count(optimized({{"y", n.integers(other)}}), "quantizeLinear") == 1);
}

TEST_CASE("move_quantization: another scale stays where it is") {
  Quantized n;
  const MLOperand x = n.real(n.input({4, 4}));
  CHECK(names(optimized({{"y", n.integers(n.b.transpose(x), 0.25f)}})) ==
        Names{"dequantizeLinear", "quantizeLinear", "transpose"});
}

TEST_CASE("move_quantization: a concat of several scales quantizes its parts") {
  Quantized n;
  const MLOperand x = n.input({4});
  const MLOperand other = n.b.dequantizeLinear(n.b.neg(n.input({4})), n.scale(1, 0.25f), n.zero(1));
  const Graph g = optimized({{"y", n.integers(n.b.concat(std::vector{n.real(x), other}, 0))}});
  CHECK(names(g) == Names{"neg", "dequantizeLinear", "quantizeLinear", "concat"});
}

TEST_CASE("move_quantization: the largest of integers") {
  Quantized n;
  const MLOperand x = n.input({1, 4, 4, 2});
  CHECK(names(optimized({{"y", n.integers(n.b.maxPool2d(
                                   n.real(x), {.windowDimensions = Dims{2, 2},
                                               .layout = MLInputOperandLayout::nhwc}))}})) ==
        Names{"maxPool2d"});
}

TEST_CASE("move_quantization: an output does not become an input") {
  Quantized n;
  const MLOperand x = n.input({4});
  CHECK(count(optimized({{"y", n.integers(n.real(x))}}), "quantizeLinear") == 1);
}

TEST_CASE("convert_to_nhwc: integers are transposed, before dequantizeLinear") {
  Quantized n;
  const MLOperand w = n.b.dequantizeLinear(
      n.b.constant({int8, {4, 2, 1, 1}}, std::vector<std::int8_t>(8, 1)), n.scale(4), n.zero(4));
  const Graph g = optimized({{"y", n.integers(n.b.conv2d(n.real(n.input({1, 2, 4, 4})), w))}});
  CHECK(names(g) == Names{"transpose", "dequantizeLinear", "dequantizeLinear", "conv2d",
                          "quantizeLinear", "transpose"});
  CHECK(g.node(0).output().dataType() == int8);
  CHECK(g.node(5).output().dataType() == int8);
}

TEST_CASE("convert_to_nhwc: elements of less than a byte are not transposed") {
  for (const auto type : {int4, uint4}) {
    INFO(name_of(type));
    const auto constant = [&](Net& n, Dims shape) {
      std::vector<std::uint8_t> v((element_count(shape) + 1) / 2);
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<std::uint8_t>(37 * i + 5);
      return n.b.constant({type, std::move(shape)}, v);
    };
    const auto dequantized = [&](Net& n, const MLOperand& x, Dims each) {
      std::vector<float> scales(element_count(each));
      for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = 0.5f + static_cast<float>(i);
      return n.b.dequantizeLinear(x, n.b.constant({float32, each}, scales), constant(n, each));
    };
    const auto valid = [](const NamedOperands& outputs) {
      Graph g = graph_of(outputs);
      for (const Pass& pass : all_passes()) {
        g = pass.run(g);
        const auto bad = check_graph(g);
        CHECK_FALSE(bad);
        if (bad) UNSCOPED_INFO(pass.name << " makes " << bad->message);
      }
      return g;
    };
    {
      Net n;
      const MLOperand x = n.b.transpose(n.b.input("x", {float32, {2, 3}}));
      valid({{"y", n.b.quantizeLinear(x, n.weights({1, 1}), constant(n, {1, 1}))}});
    }
    {
      Net n;
      valid({{"y", n.b.transpose(dequantized(n, n.b.input("x", {type, {2, 3}}), {1, 3}))}});
    }
    {
      Net n;
      const MLOperand x = dequantized(n, n.b.input("x", {type, {1, 2, 3, 3}}), {1, 1, 1, 1});
      valid({{"y", n.conv(x, 2)}});
    }
    {  // weights become floats, or are integers in the order in which they are read
      Net n;
      const MLOperand w = n.b.transpose(dequantized(n, constant(n, {3, 5}), {3, 1}));
      const Graph g = valid({{"y", n.b.matmul(n.b.input("x", {float32, {2, 5}}), w)}});
      CHECK(count(g, "transpose") == 0);
    }
  }
}

TEST_CASE("convert_to_nhwc: constants of 4 bits are transposed with what reads them") {
  Net n;
  // A quantized product keeps its integers.
  const MLOperand x =
      n.b.dequantizeLinear(n.b.input("x", {int8, {2, 3}}), n.weights({1, 1}),
                           n.b.constant({int8, {1, 1}}, std::vector<std::int8_t>{3}));
  const MLOperand w = n.b.constant({int4, {2, 3}}, std::vector<std::uint8_t>{0x21, 0x43, 0x65});
  const MLOperand zero = n.b.constant({int4, {2, 1}}, std::vector<std::uint8_t>{0x10});
  const MLOperand matrix =
      n.b.transpose(n.b.dequantizeLinear(w, n.b.constant({float32, {2, 1}}, {0.5f, 0.25f}), zero));
  const MLOperand y = n.b.quantizeLinear(n.b.matmul(x, matrix), n.weights({1, 1}),
                                         n.b.constant({int8, {1, 1}}, std::vector<std::int8_t>{0}));
  const Graph g = optimized({{"y", y}});
  const MLOperand* integers = nullptr;
  MLOperand found;
  for (std::size_t i = 0; i < g.size(); ++i)
    if (const auto* op = g.node(i).as<ops::dequantizeLinear>())
      if (op->input.dataType() == int4) found = op->input, integers = &found;
  REQUIRE(integers);
  CHECK(integers->shape() == Dims{3, 2});
  const auto bytes = integers->constant()->bytes();  // 1 2 3 / 4 5 6 became 1 4 / 2 5 / 3 6
  CHECK(std::vector<std::byte>(bytes.begin(), bytes.end()) ==
        std::vector{std::byte{0x41}, std::byte{0x52}, std::byte{0x63}});
}

TEST_CASE("recognize_layer_normalization") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {3, 5, 8}});
  const auto mean = [&](const MLOperand& v) {
    return n.b.reduceMean(v, {.axes = Dims{2}, .keepDimensions = true});
  };
  const auto number = [&](double v) { return n.b.constant(float32, v); };
  const auto written_out = [&](bool pow) {
    const MLOperand d = n.b.sub(x, mean(x));
    const MLOperand square = pow ? n.b.pow(d, number(2)) : n.b.mul(d, d);
    return n.b.div(d, n.b.sqrt(n.b.add(mean(square), number(1e-3))));
  };
  const auto only_one = [&](const MLOperand& y) {
    const Graph g = recognize_layer_normalization(graph_of({{"y", y}}));
    CHECK(names(g) == Names{"layerNormalization"});
    return g;
  };
  for (const bool pow : {false, true}) {
    const Graph g = only_one(written_out(pow));
    const auto* op = g.node(0).as<ops::layerNormalization>();
    REQUIRE(op);
    CHECK(op->options.epsilon == Approx(1e-3));
    CHECK(Dims(*op->options.axes) == Dims{2});
  }
  const MLOperand scale = n.weights({8}, 2), bias = n.weights({1, 1, 8}, 0.25f);
  const MLOperand y = n.b.add(bias, n.b.mul(written_out(true), scale));
  const Graph whole = only_one(y);
  CHECK(first(*whole.node(0).as<ops::layerNormalization>()->options.scale) == 2);
  CHECK(first(*whole.node(0).as<ops::layerNormalization>()->options.bias) == 0.25f);
  // A row that is read elsewhere, a scale of another shape, a mean over another dimension.
  const MLOperand quotient = written_out(false);
  const Graph read =
      recognize_layer_normalization(graph_of({{"q", quotient}, {"y", n.b.mul(quotient, scale)}}));
  CHECK(names(read) == Names{"layerNormalization", "mul"});
  const Graph all = recognize_layer_normalization(
      graph_of({{"y", n.b.mul(written_out(true), n.weights({5, 8}))}}));
  CHECK(names(all) == Names{"layerNormalization", "mul"});
  const MLOperand rows = n.b.reduceMean(x, {.axes = Dims{1}, .keepDimensions = true});
  const MLOperand d = n.b.sub(x, rows);
  const MLOperand other = n.b.div(d, n.b.sqrt(n.b.add(mean(n.b.mul(d, d)), number(1e-3))));
  CHECK(count(recognize_layer_normalization(graph_of({{"y", other}})), "layerNormalization") == 0);
}

TEST_CASE("recognize_layer_normalization keeps the values") {
  std::vector<float> values(4 * 8), results[2];
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i)) * (i < 16 ? 1.f : 1000.f);
  values[8 + 3] = std::numeric_limits<float>::infinity();  // the second row
  values[16 + 3] = NAN;                                    // the third
  for (const char* setting : {"none", ""}) {
    REQUIRE(setenv("WEBNN_PASSES", setting, 1) == 0);
    Net n;
    const MLOperand x = n.b.input("x", {float32, {4, 8}});
    const auto mean = [&](const MLOperand& v) {
      return n.b.reduceMean(v, {.axes = Dims{1}, .keepDimensions = true});
    };
    const MLOperand d = n.b.sub(x, mean(x));
    const MLOperand root = n.b.sqrt(n.b.add(mean(n.b.mul(d, d)), n.b.constant(float32, 1e-5)));
    const MLOperand y = n.b.add(n.b.mul(n.b.div(d, root), n.weights({8}, 1.5f)), n.weights({8}));
    const MLGraph g = n.b.build({{"y", y}});
    std::vector<float>& out = results[*setting == 0];
    out.resize(values.size());
    n.context.compute(g, {{"x", values}}, {{"y", out}});
    CHECK((g.explain().find("layerNormalization") != std::string::npos) == (*setting == 0));
  }
  REQUIRE(unsetenv("WEBNN_PASSES") == 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(results[0][i])) CHECK(std::isnan(results[1][i]));
    else CHECK(results[1][i] == Approx(results[0][i]).epsilon(1e-6).margin(1e-6));
  }
}
