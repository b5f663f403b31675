// An element of a result has the same bits whichever range its tile is run in, wherever it is among
// its neighbors, and in place; all results that are NaN have the same bits.
#include <bit>
#include <cmath>
#include <limits>

#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_case.h"

namespace webnn::inline v0_1::test {
namespace {

using B = MLGraphBuilder;
using X = MLOperand;

X input(B& b, const char* name, Dims shape) { return b.input(name, {float32, std::move(shape)}); }

void check_nan(const std::vector<float>& y) {
  constexpr auto nan = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN());
  std::size_t others = 0;
  for (const float v : y) others += v != v && std::bit_cast<std::uint32_t>(v) != nan;
  CHECK(others == 0);
}

/// Operators that only move elements keep the bits of each NaN.
void check_bits(const char* name, const KernelCase::Build& build, bool moves = false) {
  INFO(name);
  KernelCase c(build);
  Lowering l = c.lower(*reference_backend());
  c.run_every_way(std::get<Candidate>(l));
  c.set_special_values();
  const std::vector<float> y = c.run_every_way(std::get<Candidate>(l));
  if (!moves) check_nan(y);
}

using Unary = std::pair<const char*, X (*)(B&, X)>;
const Unary unary[] = {
    {"abs", [](B& b, X x) { return b.abs(x); }},
    {"ceil", [](B& b, X x) { return b.ceil(x); }},
    {"cos", [](B& b, X x) { return b.cos(x); }},
    {"erf", [](B& b, X x) { return b.erf(x); }},
    {"exp", [](B& b, X x) { return b.exp(x); }},
    {"floor", [](B& b, X x) { return b.floor(x); }},
    {"log", [](B& b, X x) { return b.log(x); }},
    {"neg", [](B& b, X x) { return b.neg(x); }},
    {"reciprocal", [](B& b, X x) { return b.reciprocal(x); }},
    {"roundEven", [](B& b, X x) { return b.roundEven(x); }},
    {"sign", [](B& b, X x) { return b.sign(x); }},
    {"sqrt", [](B& b, X x) { return b.sqrt(x); }},
    {"tan", [](B& b, X x) { return b.tan(x); }},
    {"clamp", [](B& b, X x) { return b.clamp(x, {.minValue = -0.5, .maxValue = 1}); }},
    {"elu", [](B& b, X x) { return b.elu(x); }},
    {"gelu", [](B& b, X x) { return b.gelu(x); }},
    {"hardSigmoid", [](B& b, X x) { return b.hardSigmoid(x); }},
    {"hardSwish", [](B& b, X x) { return b.hardSwish(x); }},
    {"leakyRelu", [](B& b, X x) { return b.leakyRelu(x); }},
    {"linear", [](B& b, X x) { return b.linear(x, {.alpha = 0.3, .beta = 0.7}); }},
    {"relu", [](B& b, X x) { return b.relu(x); }},
    {"sigmoid", [](B& b, X x) { return b.sigmoid(x); }},
    {"softplus", [](B& b, X x) { return b.softplus(x); }},
    {"softsign", [](B& b, X x) { return b.softsign(x); }},
    {"tanh", [](B& b, X x) { return b.tanh(x); }},
};

}  // namespace

TEST_CASE("an element-wise operator does not see where an element is") {
  constexpr std::uint32_t size = 1029;
  const float values[] = {
      0.7f,   -0.3f,  -0.f,     0.5f,      2.5f, -1.5f, 88.9f, -104.f,
      3e-39f, 1e-45f, INFINITY, -INFINITY, NAN,  -NAN,  3e38f, std::bit_cast<float>(0xffc12345u)};
  for (const auto& [name, build] : unary) {
    INFO(name);
    KernelCase c([f = build](B& b) { return f(b, input(b, "x", {size})); });
    Lowering l = c.lower(*reference_backend());
    const Candidate& kernel = std::get<Candidate>(l);
    for (const float v : values) {
      c.set_input(0, std::vector<float>(size, v));
      const std::vector<float> y = c.run_every_way(kernel);
      std::size_t different = 0;
      for (const float e : y)
        different += std::bit_cast<std::uint32_t>(e) != std::bit_cast<std::uint32_t>(y[0]);
      INFO(v);
      CHECK(different == 0);
      check_nan(y);
    }
  }
}

TEST_CASE("broadcast operands have the same bits in all ranges") {
  const std::pair<Dims, Dims> shapes[] = {{{70, 301}, {70, 301}}, {{4000, 6}, {6}},
                                          {{4000, 6}, {4000, 1}}, {{70, 301}, {1}},
                                          {{3, 7, 1000}, {7, 1}}, {{1000, 1, 9}, {1, 5, 1}}};
  for (const auto& [a, z] : shapes) {
    check_bits("add", [&](B& b) { return b.add(input(b, "a", a), input(b, "z", z)); });
    check_bits("add", [&](B& b) { return b.add(input(b, "z", z), input(b, "a", a)); });
    check_bits("div", [&](B& b) { return b.div(input(b, "z", z), input(b, "a", a)); });
    check_bits("mul", [&](B& b) { return b.mul(input(b, "a", a), input(b, "z", z)); });
    check_bits("mul", [&](B& b) { return b.mul(input(b, "z", z), input(b, "a", a)); });
    check_bits("pow", [&](B& b) { return b.pow(input(b, "a", a), input(b, "z", z)); });
    check_bits("sub", [&](B& b) { return b.sub(input(b, "a", a), input(b, "z", z)); });
    check_bits("min", [&](B& b) { return b.min(input(b, "a", a), input(b, "z", z)); });
    check_bits("max", [&](B& b) { return b.max(input(b, "z", z), input(b, "a", a)); });
    check_bits("prelu", [&](B& b) { return b.prelu(input(b, "a", a), input(b, "z", z)); });
  }
}

TEST_CASE("products have the same bits in all ranges") {
  check_bits("gemm", [](B& b) {
    return b.gemm(input(b, "a", {300, 130}), input(b, "b", {75, 300}),
                  {.c = input(b, "c", {130, 1}), .aTranspose = true, .bTranspose = true});
  });
  check_bits("matmul", [](B& b) {
    return b.matmul(input(b, "a", {3, 1, 65, 140}), input(b, "b", {2, 140, 33}));
  });
  check_bits("conv2d", [](B& b) {
    return b.conv2d(input(b, "x", {2, 6, 19, 23}), input(b, "f", {70, 3, 3, 5}),
                    {.padding = {2, 1, 3, 2}, .strides = {2, 1}, .dilations = {1, 2}, .groups = 2});
  });
  for (const std::uint32_t stride : {1u, 2u, 3u, 5u})
    for (const std::uint32_t dilation : {1u, 2u, 4u})
      check_bits("convTranspose2d", [=](B& b) {
        return b.convTranspose2d(input(b, "x", {2, 6, 9, 7}), input(b, "f", {6, 4, 3, 4}),
                                 {.padding = {1, 0, 2, 1},
                                  .strides = {stride, 2},
                                  .dilations = {dilation, 3},
                                  .groups = 2});
      });
  check_bits("gruCell", [](B& b) {
    return b.gruCell(input(b, "x", {37, 20}), input(b, "w", {99, 20}), input(b, "r", {99, 33}),
                     input(b, "h", {37, 33}), 33);
  });
}

TEST_CASE("reductions have the same bits in all ranges") {
  for (const std::uint32_t axis : {0u, 1u, 2u}) {
    const auto x = [](B& b) { return input(b, "x", {37, 65, 101}); };
    const MLReduceOptions o{.axes = std::vector{axis}};
    check_bits("reduceSum", [&](B& b) { return b.reduceSum(x(b), o); });
    check_bits("reduceMax", [&](B& b) { return b.reduceMax(x(b), o); });
    check_bits("reduceLogSumExp", [&](B& b) { return b.reduceLogSumExp(x(b), o); });
    check_bits("softmax", [&](B& b) { return b.softmax(x(b), axis); });
    check_bits("layerNormalization",
               [&](B& b) { return b.layerNormalization(x(b), {.axes = std::vector{axis}}); });
    check_bits("cumulativeSum", [&](B& b) { return b.cumulativeSum(x(b), axis); });
    check_bits("batchNormalization", [&](B& b) {
      const X all = x(b);
      const Dims channels{all.shape()[axis]};
      return b.batchNormalization(all, input(b, "mean", channels), input(b, "variance", channels),
                                  {.axis = axis});
    });
  }
  for (const auto layout : {MLInputOperandLayout::nchw, MLInputOperandLayout::nhwc}) {
    const auto x = [](B& b) { return input(b, "x", {2, 29, 31, 43}); };
    check_bits("instanceNormalization",
               [&](B& b) { return b.instanceNormalization(x(b), {.layout = layout}); });
    check_bits("averagePool2d", [&](B& b) {
      return b.averagePool2d(x(b), {.windowDimensions = std::vector{3u, 2u}, .layout = layout});
    });
    const Dims axes = layout == MLInputOperandLayout::nchw ? Dims{2, 3} : Dims{1, 2};
    for (const auto mode : {MLInterpolationMode::linear, MLInterpolationMode::nearest_neighbor})
      for (const float scale : {0.4f, 1.7f})
        check_bits(
            "resample2d",
            [&](B& b) {
              return b.resample2d(x(b), {.mode = mode, .scales = {scale, 2}, .axes = axes});
            },
            mode == MLInterpolationMode::nearest_neighbor);
    check_bits("maxPool2d", [&](B& b) {
      return b.maxPool2d(x(b), {.windowDimensions = std::vector{3u, 2u}, .layout = layout});
    });
  }
}

}  // namespace webnn::inline v0_1::test
