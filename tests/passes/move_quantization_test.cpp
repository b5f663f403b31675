// Which operators work on integers after move_quantization.
#include "tests/passes/small_graphs.h"

using namespace webnn;
using namespace webnn::test;

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

TEST_CASE("move_quantization: the nearest of integers, not what is between them") {
  Quantized n;
  const MLOperand x = n.real(n.input({1, 2, 4, 4}));
  const Dims sizes{8, 8};
  CHECK(names(optimized({{"y", n.integers(n.b.resample2d(x, {.sizes = sizes}))}})) ==
        Names{"resample2d"});
  const MLOperand between =
      n.b.resample2d(x, {.mode = MLInterpolationMode::linear, .sizes = sizes});
  CHECK(count(optimized({{"y", n.integers(between)}}), "quantizeLinear") == 1);
}

TEST_CASE("move_quantization: an output does not become an input") {
  Quantized n;
  const MLOperand x = n.input({4});
  CHECK(count(optimized({{"y", n.integers(n.real(x))}}), "quantizeLinear") == 1);
}

TEST_CASE("move_quantization: a convolution of rows of one dimension has integers on both sides") {
  Quantized n;
  MLGraphBuilder& b = n.b;
  const MLOperand x = b.reshape(n.real(n.input({1, 4, 9})), {1, 4, 1, 9});
  const std::vector<std::int8_t> values(5 * 4 * 3, 2), zeros(5, 0);
  const std::vector<float> scales{1, 2, 3, 4, 5};
  const MLOperand weights = b.dequantizeLinear(b.constant({int8, {5, 4, 3}}, values),
                                               b.constant({float32, {5, 1, 1}}, scales),
                                               b.constant({int8, {5, 1, 1}}, zeros));
  const MLOperand y = b.conv2d(x, b.reshape(weights, {5, 4, 1, 3}), {.padding = {0, 0, 1, 1}});
  const Graph g = move_quantization(graph_of({{"y", n.integers(b.reshape(y, {1, 5, 9}))}}));
  CHECK(names(g) == Names{"reshape", "dequantizeLinear", "dequantizeLinear", "conv2d",
                          "quantizeLinear", "reshape"});
  for (std::size_t i = 0; i < g.size(); ++i)
    if (const auto* op = g.node(i).as<ops::dequantizeLinear>())
      if (op->input.constant()) {
        CHECK(op->input.shape() == Dims{5, 4, 1, 3});
        CHECK(op->scale.shape() == Dims{5, 1, 1, 1});
      }
}

TEST_CASE("move_quantization: scales that a reshape would mix stay where they are") {
  Quantized n;
  MLGraphBuilder& b = n.b;
  const std::vector<std::int8_t> values(12, 2), zeros(4, 0);
  const std::vector<float> scales{1, 2, 3, 4};
  const MLOperand weights =
      b.dequantizeLinear(b.constant({int8, {4, 3}}, values), b.constant({float32, {4, 1}}, scales),
                         b.constant({int8, {4, 1}}, zeros));
  const MLOperand y = b.gemm(n.real(n.input({2, 6})), b.reshape(weights, {6, 2}));
  CHECK(names(move_quantization(graph_of({{"y", y}}))) ==
        Names{"dequantizeLinear", "dequantizeLinear", "reshape", "gemm"});
  const MLOperand x = b.relu(b.input("f", {float32, {2, 6}}));
  const MLOperand reshaped = b.reshape(x, {12});
  CHECK(names(move_quantization(graph_of({{"y", n.integers(reshaped)}, {"z", reshaped}}))) ==
        Names{"relu", "reshape", "quantizeLinear"});
}
