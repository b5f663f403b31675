// Float models whose weights become smaller.
#include <cmath>

#include "tests/passes/small_graphs.h"
#include "tests/support/thrown.h"
#include "webnn/float16.h"
#include "webnn/quantize_weights.h"

using namespace webnn;
using namespace webnn::test;

namespace {

std::vector<float> wave(std::size_t count) {
  std::vector<float> v(count);
  for (std::size_t i = 0; i < count; ++i)
    v[i] = std::sin(0.7f * static_cast<float>(i)) * (1 + static_cast<float>(i % 5));
  return v;
}

struct Weighted : Net {
  MLOperand matrix(Dims shape) {
    const auto v = wave(element_count(shape));
    return b.constant({float32, std::move(shape)}, v);
  }
};

/// What the operators before the product make of its weights, in double precision.
std::vector<double> values_of(const Graph& g, const MLOperand& w) {
  const Node node = g.producer_of(w);
  if (const auto* op = node.as<ops::cast>()) {
    std::vector<double> v;
    const auto bytes = op->input.constant()->bytes();
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      Float16 h;
      std::memcpy(&h, bytes.data() + i, 2);
      v.push_back(h);
    }
    return v;
  }
  const auto* op = node.as<ops::dequantizeLinear>();
  REQUIRE(op);
  const auto bytes = op->input.constant()->bytes();
  const Dims &shape = op->input.shape(), &scales = op->scale.shape();
  std::vector<float> scale(element_count(scales));
  std::memcpy(scale.data(), op->scale.constant()->bytes().data(), 4 * scale.size());
  for (std::byte zero : op->zeroPoint.constant()->bytes()) CHECK(zero == std::byte{0});
  std::vector<double> v(element_count(shape));
  for (std::size_t i = 0; i < v.size(); ++i) {
    const bool four = op->input.dataType() == int4;
    int q = static_cast<int>(four ? bytes[i / 2] >> (i % 2 * 4) & std::byte{15} : bytes[i]);
    if (q >= (four ? 8 : 128)) q -= four ? 16 : 256;
    const std::size_t row = i / shape[1] / (shape[0] / scales[0]);
    const std::size_t column = i % shape[1] / (shape[1] / scales[1]);
    v[i] = q * static_cast<double>(scale[row * scales[1] + column]);
  }
  return v;
}

double relative_error(const std::vector<float>& w, const std::vector<double>& v) {
  REQUIRE(w.size() == v.size());
  double error = 0, squares = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    error += (w[i] - v[i]) * (w[i] - v[i]);
    squares += static_cast<double>(w[i]) * w[i];
  }
  return std::sqrt(error / squares);
}

}  // namespace

TEST_CASE("quantize_weights: the error is that of the new constants") {
  struct Case {
    WeightQuantization options;
    Dims scales;
    double most;  ///< how large the error may be
  };
  for (const Case& c : {Case{{int4, 32}, {2, 96}, 0.12}, Case{{int8, 32}, {2, 96}, 0.008},
                        Case{{int8, 0}, {1, 96}, 0.008}, Case{{int4, 24}, {4, 96}, 0.12},
                        Case{{int8, 5}, {1, 96}, 0.008}, Case{{float16}, {}, 0.0004}}) {
    INFO(name_of(c.options.type) << ' ' << c.options.block);
    Weighted net;
    const MLOperand x = net.b.input("x", {float32, {1, 64}});
    const Graph from =
        test::graph_of({{"y", net.b.relu(net.b.matmul(x, net.matrix({64, 96}), {.label = "q"}))}});
    std::vector<QuantizedWeights> report;
    const Graph g = quantize_weights(from, c.options, &report);
    REQUIRE(names(g) ==
            Names{c.options.type == float16 ? "cast" : "dequantizeLinear", "matmul", "relu"});
    REQUIRE(report.size() == 1);
    CHECK(report[0].reader == "q");
    CHECK(report[0].weights.shape == Dims{64, 96});
    const double error = relative_error(wave(64 * 96), values_of(g, g.node(1).input(1)));
    CHECK(std::abs(report[0].relative_error - error) <= 1e-9 * error);
    CHECK(error < c.most);
    CHECK(error > 0);
    std::uint64_t bytes = 0;
    for (const MLOperand& operand : g.node(0).inputs()) bytes += byte_length(operand.descriptor());
    CHECK(report[0].bytes == bytes);
    if (c.options.type != float16)
      CHECK(g.node(0).as<ops::dequantizeLinear>()->scale.shape() == c.scales);
  }
}

TEST_CASE("quantize_weights: transposed matrices, tables, filters and constants read twice") {
  Weighted net;
  const MLOperand table = net.matrix({96, 64});
  const std::vector<std::int32_t> rows{3};
  const MLOperand e = net.b.gather(table, net.b.constant({int32, {1}}, rows));
  const MLOperand x = net.b.add(e, net.b.input("x", {float32, {1, 64}}));
  const MLOperand y = net.b.matmul(x, net.b.transpose(table));
  std::vector<QuantizedWeights> report;
  const Graph g = quantize_weights(test::graph_of({{"y", y}, {"t", net.b.neg(table)}}),
                                   {.type = int8}, &report);
  CHECK(report.size() == 1);  // one form for the table and the matrix
  CHECK(count(g, "dequantizeLinear") == 1);
  CHECK(relative_error(wave(96 * 64), values_of(g, g.node(0).output())) < 0.008);
  for (std::size_t i = 0; i < g.size(); ++i)
    if (g.node(i).name() == "neg") CHECK(g.node(i).input(0).constant());

  const MLOperand image = net.b.input("i", {float32, {1, 256, 2, 2}});
  const auto conv = [&](std::uint32_t size) {
    return quantize_weights(
        test::graph_of(
            {{"y", net.b.conv2d(image, net.matrix({256, 256, size, size}),
                                {.padding = {size / 2, size / 2, size / 2, size / 2}})}}),
        {.type = int4});
  };
  const Graph f = conv(1);
  REQUIRE(names(f) == Names{"dequantizeLinear", "conv2d"});
  CHECK(f.node(0).as<ops::dequantizeLinear>()->scale.shape() == Dims{256, 8, 1, 1});
  CHECK(names(conv(3)) == Names{"conv2d"});
}

TEST_CASE("quantize_weights: what stays, and what is refused") {
  Weighted net;
  const MLOperand x = net.b.input("x", {float32, {1, 64}});
  const auto with = [&](float v, const WeightQuantization& o) {
    std::vector<float> w = wave(64 * 96);
    w[7] = v;
    return names(quantize_weights(
        test::graph_of({{"y", net.b.matmul(x, net.b.constant({float32, {64, 96}}, w))}}), o));
  };
  CHECK(with(HUGE_VALF, {.type = int8}) == Names{"matmul"});
  CHECK(with(1e6f, {.type = float16}) == Names{"matmul"});
  CHECK(with(1e6f, {.type = int8}) == Names{"dequantizeLinear", "matmul"});
  CHECK(names(quantize_weights(test::graph_of({{"y", net.b.matmul(x, net.matrix({64, 8}))}}),
                               {})) == Names{"matmul"});
  const Graph g = test::graph_of({{"y", net.b.relu(x)}});
  CHECK(thrown([&] { quantize_weights(g, {.type = uint8}); }) ==
        "TypeError quantize_weights: the type (uint8) is not int4, int8 or float16.");
}

TEST_CASE("smaller weights: graphs with open dimensions keep them") {
  const MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"batch", 64}});
  const MLOperand rows = b.input("rows", {float32, {"rows", 64}});
  const MLOperand image = b.input("image", {float32, {"batch", 8, "height", "width"}});
  const auto matrix = [&](Dims shape) {
    const auto v = wave(element_count(shape));
    return b.constant({float32, std::move(shape)}, v);
  };
  const MLOperand known = b.reshapeDynamic(x, b.shape(x));
  const MLGraph graph = b.build({{"y", b.gemm(x, matrix({64, 96}), {.label = "gemm"})},
                                 {"product", b.matmul(known, matrix({64, 128}))},
                                 {"rows'", b.matmul(x, b.transpose(rows))},
                                 {"filtered", b.conv2d(image, matrix({40, 8, 3, 3}))}});
  std::vector<QuantizedWeights> report;
  const MLGraph small =
      build_graph(context, quantize_weights(graph.graph(), {.type = float16}, &report), {});
  CHECK(report.size() == 2);
  CHECK((small.graph().inputs()[0].operand.dimensions() == MLDimensions{"batch", 64}));
  CHECK((small.graph().outputs()[0].operand.dimensions() == MLDimensions{"batch", 96}));
  for (const std::uint32_t batch : {1u, 3u, 7u}) {
    const auto shapes = small.computeShapes(
        {{"x", {batch, 64}}, {"rows", {5, 64}}, {"image", {batch, 8, 4, batch + 3}}});
    CHECK(shapes[0].descriptor.shape == Dims{batch, 96});
    const std::vector<float> values(batch * 64, 0.25f), others(5 * 64, 1),
        pixels(batch * 8 * 4 * (batch + 3), 1);
    std::vector<std::vector<float>> results, expected;
    for (auto [g, to] : {std::pair(&graph, &expected), {&small, &results}}) {
      std::vector<NamedOutput> views;
      for (const auto& [name, d] : shapes) to->emplace_back(element_count(d.shape));
      for (std::size_t i = 0; i < shapes.size(); ++i)
        views.push_back({shapes[i].name, std::as_writable_bytes(std::span((*to)[i]))});
      const Dims in{batch, 64}, five{5, 64}, pixels_of{batch, 8, 4, batch + 3};
      const std::vector<NamedInput> inputs{
          {"x", InputView(std::as_bytes(std::span(values)), in)},
          {"rows", InputView(std::as_bytes(std::span(others)), five)},
          {"image", InputView(std::as_bytes(std::span(pixels)), pixels_of)}};
      MLContext(context).compute(*g, std::span<const NamedInput>(inputs),
                                 std::span<const NamedOutput>(views));
    }
    for (std::size_t i = 0; i < results.size(); ++i)
      for (std::size_t k = 0; k < results[i].size(); ++k)
        CHECK(std::abs(results[i][k] - expected[i][k]) <= 0.05f);
  }
}
