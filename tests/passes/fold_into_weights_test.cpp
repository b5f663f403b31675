// Behind convolutions and products of random forms; what becomes of conv2d is in
// structure_test.cpp.
#include <cmath>

#include "src/passes/rewriter.h"
#include "tests/passes/small_graphs.h"
#include "tests/support/filter_layout.h"
#include "tests/support/random.h"
#include "webnn/float16.h"
#include "webnn/passes.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// An operator with weights and a few operators by channel behind it.
struct Case {
  MLGraphBuilder& b;
  Random random;
  std::uint32_t axis = 1;  // where the channels are

  Case(MLGraphBuilder& builder, std::uint64_t seed) : b(builder), random(seed) {}

  bool coin() { return random.integer(0, 1); }
  MLOperand constant(const Dims& shape, double low = -2, double high = 2) {
    std::vector<float> v(element_count(shape));
    for (float& f : v) f = static_cast<float>(random.uniform(low, high));
    return b.constant({float32, shape}, v);
  }
  /// An image that the operator reads, as the result of another.
  MLOperand image(std::uint32_t channels, MLInputOperandLayout layout) {
    const std::uint32_t height = random.integer(3, 5), width = random.integer(3, 5);
    const bool nhwc = layout == MLInputOperandLayout::nhwc;
    axis = nhwc ? 3 : 1;
    return b.neg(
        constant(nhwc ? Dims{2, height, width, channels} : Dims{2, channels, height, width}));
  }
  /// Height and width of a filter.
  std::array<std::uint32_t, 2> window() { return {random.integer(1, 3), random.integer(1, 3)}; }

  MLOperand conv2d() {
    const std::uint32_t groups = random.integer(1, 3), in = random.integer(1, 3),
                        out = random.integer(1, 3);
    MLConv2dOptions o{.strides = {1, random.integer(1, 2)}, .groups = groups};
    o.inputLayout = MLInputOperandLayout(random.integer(0, 1));
    o.filterLayout = MLConv2dFilterOperandLayout(random.integer(0, 3));
    if (coin()) o.bias = constant({groups * out});
    const auto [h, w] = window();
    return b.conv2d(image(groups * in, o.inputLayout),
                    constant(in_layout(o.filterLayout, groups * out, in, h, w)), o);
  }
  MLOperand convTranspose2d() {
    using enum MLConvTranspose2dFilterOperandLayout;
    const std::uint32_t groups = random.integer(1, 3), in = groups * random.integer(1, 3),
                        out = random.integer(1, 3);
    MLConvTranspose2dOptions o{.strides = {1, random.integer(1, 4)}, .groups = groups};
    o.inputLayout = MLInputOperandLayout(random.integer(0, 1));
    o.filterLayout = MLConvTranspose2dFilterOperandLayout(random.integer(0, 2));
    if (coin()) o.bias = constant({groups * out});
    const auto [h, w] = window();
    const Dims filter = o.filterLayout == iohw   ? Dims{in, out, h, w}
                        : o.filterLayout == hwoi ? Dims{h, w, out, in}
                                                 : Dims{out, h, w, in};
    return b.convTranspose2d(image(in, o.inputLayout), constant(filter), o);
  }
  MLOperand gemm() {
    const std::uint32_t m = random.integer(1, 4), k = random.integer(1, 5),
                        n = random.integer(1, 5);
    MLGemmOptions o{.aTranspose = coin(), .bTranspose = coin()};
    if (coin()) o.alpha = random.uniform(-2, 2);
    if (coin()) o.beta = random.uniform(-2, 2);
    const std::array<Dims, 4> shapes{Dims{}, Dims{1}, Dims{n}, Dims{1, n}};
    if (coin()) o.c = constant(shapes[random.integer(0, 3)]);
    axis = 1;
    return b.gemm(b.neg(constant(o.aTranspose ? Dims{k, m} : Dims{m, k})),
                  constant(o.bTranspose ? Dims{n, k} : Dims{k, n}), o);
  }

  /// A constant with an element for each channel, or one for all.
  MLOperand by_channel(const MLOperand& x, double low = -2, double high = 2) {
    Dims shape(x.rank() - axis, 1);
    if (coin()) shape.front() = x.shape()[axis];
    return constant(shape, low, high);
  }
  MLOperand changed(const MLOperand& x) {
    const Dims channels{x.shape()[axis]};
    switch (random.integer(0, 5)) {
      case 0: return b.add(by_channel(x), x);
      case 1: return b.sub(x, by_channel(x));
      case 2: return b.mul(x, by_channel(x));
      case 3: return b.div(x, by_channel(x, 0.5, 2));
      default: {
        MLBatchNormalizationOptions o{.axis = axis};
        if (coin()) o.scale = constant(channels, 0.5, 2);
        if (coin()) o.bias = constant(channels);
        return b.batchNormalization(x, constant(channels), constant(channels, 0.5, 2), o);
      }
    }
  }
  Graph graph(MLOperand y) {
    for (std::uint32_t i = random.integer(1, 4); i > 0; --i) y = changed(y);
    return test::graph_of({{"y", y}});
  }
};

std::vector<float> run(MLContext& context, const Graph& graph) {
  const MLGraph g = build_graph(context, graph, {});
  std::vector<float> y(element_count(g.outputs()[0].descriptor.shape));
  context.compute(g, {}, {{"y", y}});
  return y;
}

}  // namespace

TEST_CASE("fold_into_weights keeps the values") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  for (const auto made : {&Case::conv2d, &Case::convTranspose2d, &Case::gemm})
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      MLGraphBuilder b(context);
      Case c(b, seed);
      const Graph plain = c.graph((c.*made)()), folded = fold_into_weights(plain);
      INFO("seed " << seed << "\n" << to_text(plain) << "became " << to_text(folded));
      REQUIRE(folded.size() == 2);
      const auto x = run(context, plain), y = run(context, folded);
      float largest = 1e-3f;
      for (float v : x) largest = std::max(largest, std::abs(v));
      for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(std::abs(x[i] - y[i]) <= 2e-5f * largest);
    }
}

TEST_CASE("fold_into_weights: float16") {
  Net n;
  const auto constant = [&](const Dims& shape) {
    const std::vector<Float16> v(element_count(shape), Float16(0.5f));
    return n.b.constant({float16, shape}, v);
  };
  const MLOperand x = n.b.input("x", {float16, {3, 4}});
  const MLOperand y = n.b.mul(n.b.gemm(x, constant({4, 2})), constant({2}));
  const Graph g = fold_into_weights(graph_of({{"y", y}}));
  REQUIRE(names(g) == Names{"gemm"});
  const MLOperand b = g.node(0).input(1);
  CHECK(b.dataType() == float16);
  CHECK(doubles_of(b) == std::vector(8, 0.25));
}

TEST_CASE("fold_into_weights: the channels of convTranspose2d") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {1, 4, 3, 3}});
  const auto transposed = [&](const MLOperand& filter) {
    return n.b.convTranspose2d(x, filter, {.groups = 2});
  };
  const auto after = [&](const MLOperand& y) {
    return names(fold_into_weights(graph_of({{"y", y}})));
  };
  const auto norm = [&](const MLOperand& y, std::uint32_t axis) {
    const Dims c{y.shape()[axis]};
    return n.b.batchNormalization(y, n.weights(c), n.weights(c), {.axis = axis});
  };
  const MLOperand filter = n.weights({4, 3, 1, 1});
  const MLOperand y = transposed(filter);  // 6 channels, 3 rows and columns
  SECTION("are in the second half those of the second group") {
    std::vector<float> factors{1, 2, 3, 4, 5, 6};
    const Graph g = fold_into_weights(
        graph_of({{"y", n.b.mul(y, n.b.constant({float32, {6, 1, 1}}, factors))}}));
    REQUIRE(names(g) == Names{"convTranspose2d"});
    const FloatElements made(g.node(0).as<ops::convTranspose2d>()->filter);
    for (std::size_t i = 0; i < 12; ++i)
      CHECK(made[i] == 0.5 * static_cast<double>(i / 6 * 3 + i % 3 + 1));
  }
  SECTION("batchNormalization") { CHECK(after(norm(y, 1)) == Names{"convTranspose2d"}); }
  SECTION("not over another axis") {
    CHECK(after(norm(y, 2)).size() == 2);
    CHECK(after(n.b.mul(y, n.weights({3}))).size() == 2);
  }
  SECTION("not when the result has another reader") {
    CHECK(fold_into_weights(graph_of({{"y", norm(y, 1)}, {"c", y}})).size() == 2);
    CHECK(after(n.b.add(norm(y, 1), n.b.relu(y))).size() == 4);
  }
  SECTION("not when the weights are computed, or another operand is") {
    const MLOperand v = n.b.input("v", {float32, {6}});
    CHECK(after(norm(transposed(n.b.input("w", {float32, {4, 3, 1, 1}})), 1)).size() == 2);
    CHECK(after(norm(n.b.convTranspose2d(x, filter, {.groups = 2, .bias = v}), 1)).size() == 2);
    CHECK(after(n.b.batchNormalization(y, v, n.weights({6}))).size() == 2);
  }
  SECTION("a sum leaves the filter as it is") {
    const Graph g = fold_into_weights(graph_of({{"y", n.b.add(y, n.weights({6, 1, 1}))}}));
    REQUIRE(names(g) == Names{"convTranspose2d"});
    CHECK(g.node(0).input(1).constant()->bytes().data() == filter.constant()->bytes().data());
  }
}

TEST_CASE("fold_into_weights: groups that do not divide the input channels") {
  MLContext context({.threads = 1, .backends = {"reference"}, .rules = Rules::tests2025});
  MLGraphBuilder b(context);
  const auto constant = [&](const Dims& shape) {
    return b.constant({float32, shape}, std::vector<float>(element_count(shape), 0.5f));
  };
  const MLOperand y = b.convTranspose2d(b.input("x", {float32, {1, 3, 2, 2}}),
                                        constant({3, 1, 1, 1}), {.groups = 2});
  const Graph g = test::graph_of({{"y", b.mul(y, constant({2, 1, 1}))}});
  CHECK(fold_into_weights(g) == g);
}

TEST_CASE("fold_into_weights: the columns of gemm") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {3, 4}});
  const auto after = [&](const MLOperand& y) {
    return fold_into_weights(graph_of({{"y", y}})).size();
  };
  const auto gemm = [&](MLGemmOptions o) { return n.b.gemm(x, n.weights({4, 3}), o); };
  const MLOperand two = n.weights({3}, 2);
  SECTION("alpha and beta become part of the constants") {
    const MLOperand y = n.b.mul(gemm({.c = n.weights({1, 3}, 7), .alpha = 3, .beta = 5}), two);
    const Graph g = fold_into_weights(graph_of({{"y", n.b.add(y, two)}}));
    REQUIRE(names(g) == Names{"gemm"});
    const auto& made = *g.node(0).as<ops::gemm>();
    CHECK(first(made.b) == 0.5f * 3 * 2);
    CHECK(made.options.alpha == 1);
    CHECK(first(*made.options.c) == 7 * 5 * 2 + 2);
    CHECK(made.options.c->shape() == Dims{3});
    CHECK(made.options.beta == 1);
  }
  SECTION("a sum leaves b and alpha as they are") {
    const Graph g = fold_into_weights(graph_of({{"y", n.b.add(gemm({.alpha = 3}), two)}}));
    REQUIRE(names(g) == Names{"gemm"});
    CHECK(first(g.node(0).input(1)) == 0.5f);
    CHECK(g.node(0).as<ops::gemm>()->options.alpha == 3);
  }
  SECTION("batchNormalization of the columns, not of the rows") {
    const MLOperand c = n.weights({3});
    CHECK(after(n.b.batchNormalization(gemm({}), c, c)) == 1);
    CHECK(after(n.b.batchNormalization(gemm({}), c, c, {.axis = 0})) == 2);
    CHECK(after(n.b.mul(gemm({}), n.weights({3, 1}))) == 2);
  }
  SECTION("not with a c that differs by row") {
    CHECK(after(n.b.mul(gemm({.c = n.weights({3, 3})}), two)) == 2);
    CHECK(after(n.b.mul(gemm({.c = n.weights({3, 1})}), two)) == 2);
    CHECK(after(n.b.mul(gemm({.c = n.b.input("c", {float32, {3}})}), two)) == 2);
  }
  SECTION("not when b is computed, or the result has another reader") {
    CHECK(after(n.b.mul(n.b.gemm(x, n.b.input("b", {float32, {4, 3}})), two)) == 2);
    const MLOperand y = gemm({});
    CHECK(fold_into_weights(graph_of({{"y", n.b.mul(y, two)}, {"z", y}})).size() == 2);
  }
  SECTION("not what would overflow or lose its last bits, with alpha") {
    const auto scaled = [&](double alpha, double factor) {
      return after(n.b.mul(gemm({.alpha = alpha}), n.b.constant(float32, factor)));
    };
    CHECK(scaled(1e20, 1e10) == 1);
    CHECK(scaled(1e20, 1e20) == 2);
    CHECK(scaled(1e-20, 1e-20) == 2);
    CHECK(scaled(1e20, 1e-36) == 1);
    CHECK(scaled(1e-20, 1e38) == 1);
  }
}

TEST_CASE("fold_into_weights: gemm with weights that stay integers") {
  Quantized n;
  const MLOperand b = n.real(n.b.constant({int8, {64, 64}}, std::vector<std::int8_t>(64 * 64, 5)));
  const MLOperand y = n.b.gemm(n.b.input("x", {float32, {1, 64}}), b);
  CHECK(names(optimized({{"y", n.b.mul(y, n.weights({64}))}})) ==
        Names{"dequantizeLinear", "gemm", "mul"});
  const MLOperand integers = n.b.gemm(n.real(n.input({1, 64})), b);
  CHECK(names(optimized({{"y", n.integers(n.b.relu(integers))}})) ==
        Names{"dequantizeLinear", "dequantizeLinear", "gemm", "relu", "quantizeLinear"});
}
