// Products of tensors that are quantized by their own range, which ONNX has operators for.
#include "src/formats/onnx/model.h"
#include "tests/formats/onnx/exported.h"
#include "tests/support/catch.h"
#include "tests/support/quantize.h"
#include "webnn/passes.h"

using namespace webnn;
using namespace webnn::onnx::test;

namespace {

std::string nodes_in(std::span<const std::byte> file) {
  onnx::Limits limits;
  std::string all;
  for (const onnx::Node& n : onnx::read_model(file, limits).graph.nodes)
    all += (all.empty() ? "" : " ") + std::string(n.op_type);
  return all;
}
std::size_t count_of(const std::string& all, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = all.find(word); at != std::string::npos; at = all.find(word, at + 1))
    ++count;
  return count;
}

/// The quantization of x by its own range, as the importer and quantize() write it.
struct ByRange {
  MLOperand y, scale, zero, low;
};
ByRange by_range(MLGraphBuilder b, const MLOperand& x, bool guarded = true) {
  const MLOperand none = b.constant(float32, 0), one = b.constant(float32, 1);
  const MLOperand low = b.min(b.reduceMin(x), none);
  const MLOperand range = b.sub(b.max(b.reduceMax(x), none), low);
  MLOperand scale = b.div(range, b.constant(float32, 255));
  if (guarded) scale = b.where(b.equal(range, none), one, scale);
  const MLOperand zero = b.cast(
      b.clamp(b.roundEven(b.neg(b.div(low, scale))), {.minValue = 0, .maxValue = 255}), uint8);
  const Dims ones(x.rank(), 1);
  return {b.quantizeLinear(x, b.reshape(scale, ones), b.reshape(zero, ones)), scale, zero, low};
}
MLOperand weights(MLGraphBuilder b, MLOperandDataType type, const Dims& shape, const Dims& scales) {
  webnn::test::Random r(element_count(shape));
  const Tensor w = r.tensor(type, shape, type == int8 ? -127 : 0, type == int8 ? 127 : 255);
  const Tensor scale = r.tensor(float32, scales, 0.005, 0.02);
  return b.dequantizeLinear(
      b.constant({type, shape}, w.bytes), b.constant({float32, scales}, scale.bytes),
      b.constant({type, scales}, webnn::test::filled(type, scales, type == int8 ? 0 : 120).bytes));
}
MLOperand dequantized(MLGraphBuilder b, const ByRange& q) {
  const Dims ones(q.y.rank(), 1);
  return b.dequantizeLinear(q.y, b.reshape(q.scale, ones), b.reshape(q.zero, ones));
}

/// The nodes of the file, whose outputs are those of the graph.
std::string written(const MLGraph& graph) {
  const std::vector<std::byte> file = onnx::export_model(graph);
  const Read again = read(file);
  webnn::test::Random r(31);
  Inputs inputs;
  for (const auto& [name, d] : graph.inputs())
    inputs.emplace(name, r.tensor(d.dataType, d.shape, -1, 2));
  const Graph built = graph.graph();
  webnn::test::Oracle oracle(built, inputs, webnn::test::Rounding::documented);
  const auto results = webnn::test::computed(plain(), again.graph, inputs);
  for (std::size_t i = 0; i < results.size(); ++i) CHECK(oracle.difference(i, results[i]) == "");
  return nodes_in(file);
}

}  // namespace

TEST_CASE("onnx export: dynamic quantization: products are MatMulInteger") {
  for (const bool transposed : {false, true})
    for (const bool by_column : {false, true})
      for (const bool bias : {false, true}) {
        const auto type = by_column || bias ? int8 : uint8;
        MLGraphBuilder b(plain());
        const Dims shape = transposed ? Dims{6, 40} : Dims{40, 6};
        Dims scales{1, 1};
        if (by_column) scales[transposed ? 0 : 1] = 6;
        MLGemmOptions o{.bTranspose = transposed};
        if (bias) o.c = b.constant({float32, {6}}, std::vector<float>{1, 2, 3, 4, 5, 6});
        const ByRange x = by_range(b, b.input("x", {float32, {5, 40}}));
        const MLOperand y = b.gemm(dequantized(b, x), weights(b, type, shape, scales), o);
        CAPTURE(transposed, by_column, bias);
        CHECK(written(b.build({{"y", y}})) ==
              std::string("DynamicQuantizeLinear MatMulInteger Cast Mul Mul") +
                  (bias ? " Add" : ""));
      }
  MLGraphBuilder b(plain());
  const ByRange x = by_range(b, b.input("x", {float32, {2, 3, 40}}));
  const MLOperand a = dequantized(b, x);
  const MLOperand y = b.matmul(a, weights(b, int8, {40, 7}, {1, 7})),
                  z = b.matmul(a, weights(b, uint8, {2, 40, 5}, {1, 1, 1}));
  const std::string nodes = written(b.build({{"y", y}, {"z", z}}));
  CHECK(count_of(nodes, "DynamicQuantizeLinear") == 1);
  CHECK(count_of(nodes, "MatMulInteger") == 2);
  CHECK(count_of(nodes, "DequantizeLinear") == 0);
}

TEST_CASE("onnx export: dynamic quantization: what was imported is written as it was") {
  MLGraphBuilder b(plain());
  const ByRange x = by_range(b, b.input("x", {float32, {5, 40}}));
  const MLGraph graph =
      b.build({{"y", b.matmul(dequantized(b, x), weights(b, int8, {40, 6}, {1, 6}))}});
  const MLGraph again = read(onnx::export_model(graph)).graph;
  CHECK(count_of(written(again), "DynamicQuantizeLinear") == 1);
  CHECK(count_of(written(again), "MatMulInteger") == 1);
  CHECK(count_of(written(again), "DequantizeLinear") == 0);
}

TEST_CASE("onnx export: dynamic quantization: convolutions are ConvInteger") {
  for (const auto layout : {MLInputOperandLayout::nchw, MLInputOperandLayout::nhwc})
    for (const bool by_channel : {false, true}) {
      const bool nhwc = layout == MLInputOperandLayout::nhwc;
      MLGraphBuilder b(plain());
      const Dims image = nhwc ? Dims{1, 7, 6, 4} : Dims{1, 4, 7, 6};
      const Dims filter = nhwc ? Dims{6, 3, 2, 2} : Dims{6, 2, 3, 2};
      const ByRange x = by_range(b, b.input("x", {float32, image}));
      const MLOperand y =
          b.conv2d(dequantized(b, x),
                   weights(b, by_channel ? int8 : uint8, filter, {by_channel ? 6u : 1u, 1, 1, 1}),
                   {.padding = {1, 0, 2, 1},
                    .strides = {2, 1},
                    .groups = 2,
                    .inputLayout = layout,
                    .filterLayout = nhwc ? MLConv2dFilterOperandLayout::ohwi
                                         : MLConv2dFilterOperandLayout::oihw,
                    .bias = b.constant({float32, {6}}, std::vector<float>{1, -2, 3, -4, 5, -6})});
      const std::string nodes = written(b.build({{"y", b.relu(y)}}));
      CAPTURE(nodes);
      CHECK(count_of(nodes, "DynamicQuantizeLinear") == 1);
      CHECK(count_of(nodes, "ConvInteger") == 1);
      CHECK(count_of(nodes, "Conv") == 1);
      CHECK(count_of(nodes, "DequantizeLinear") == 0);
    }
}

TEST_CASE("onnx export: dynamic quantization: what only looks like it is written as it is") {
  const auto nodes = [](auto product) {
    MLGraphBuilder b(plain());
    return written(b.build(product(b, b.input("x", {float32, {5, 40}}))));
  };
  // Zeros have no scale.
  CHECK(count_of(nodes([](MLGraphBuilder b, const MLOperand& x) -> NamedOperands {
                   const MLOperand a = dequantized(b, by_range(b, x, false));
                   return {{"y", b.matmul(a, weights(b, int8, {40, 6}, {1, 1}))}};
                 }),
                 "DynamicQuantizeLinear") == 0);
  // The least element is an output.
  CHECK(count_of(nodes([](MLGraphBuilder b, const MLOperand& x) -> NamedOperands {
                   const ByRange q = by_range(b, x);
                   return {
                       {"y", b.add(b.matmul(dequantized(b, q), weights(b, int8, {40, 6}, {1, 1})),
                                   q.low)},
                       {"low", q.low}};
                 }),
                 "DynamicQuantizeLinear") == 0);
  // A scale for each row of the weights is not one of a column.
  const std::string by_row = nodes([](MLGraphBuilder b, const MLOperand& x) -> NamedOperands {
    const MLOperand a = dequantized(b, by_range(b, x));
    return {{"y", b.matmul(a, weights(b, int8, {40, 6}, {40, 1}))}};
  });
  CHECK(count_of(by_row, "MatMulInteger") == 0);
  CHECK(count_of(by_row, "DynamicQuantizeLinear") == 1);
  // Scale and zero point may be read by others.
  const std::string read = nodes([](MLGraphBuilder b, const MLOperand& x) -> NamedOperands {
    const ByRange q = by_range(b, x);
    return {{"y", b.matmul(dequantized(b, q), weights(b, int8, {40, 6}, {1, 1}))},
            {"scale", b.mul(q.scale, q.scale)},
            {"zero", b.identity(q.zero)}};
  });
  CHECK(count_of(read, "MatMulInteger") == 1);
  CHECK(count_of(read, "ReduceMin") == 0);
  // One scale for all runs is what QuantizeLinear is for.
  const std::string fixed = nodes([](MLGraphBuilder b, const MLOperand& x) -> NamedOperands {
    const MLOperand q = webnn::test::quantized(b, x, {0.02f, 100}, uint8);
    return {{"y", b.matmul(webnn::test::dequantized(b, q, {0.02f, 100}),
                           weights(b, int8, {40, 6}, {1, 1}))}};
  });
  CHECK(fixed == "QuantizeLinear DequantizeLinear DequantizeLinear MatMul");
}

TEST_CASE("onnx export: dynamic quantization with open dimensions") {
  MLGraphBuilder b(plain());
  const MLOperand x = b.input("x", {float32, {"rows", 40}});
  const MLOperand y = b.matmul(dequantized(b, by_range(b, x)), weights(b, int8, {40, 6}, {1, 6}));
  const MLGraph graph = b.build({{"y", y}});
  const auto file = onnx::export_model(graph);
  CHECK(count_of(nodes_in(file), "MatMulInteger") == 1);
  CHECK(count_of(nodes_in(file), "ReduceMin") == 0);
  const MLGraph again = read(file).graph;
  for (const std::uint32_t rows : {1u, 7u}) {
    const Inputs inputs{{"x", webnn::test::Random(rows).tensor(float32, {rows, 40}, -1, 3)}};
    const MLGraph sized = graph.prepare({{"x", inputs.at("x").shape}});
    const Graph small = sized.graph();
    webnn::test::Oracle oracle(small, inputs, webnn::test::Rounding::documented);
    const MLGraph prepared = again.prepare({{"x", inputs.at("x").shape}});
    CHECK(oracle.difference(0, webnn::test::computed(plain(), prepared, inputs).at(0)) == "");
  }
}
