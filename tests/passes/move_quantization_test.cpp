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
