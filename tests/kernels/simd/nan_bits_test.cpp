// A result has the same bits whatever ranges its tiles are run in, NaN included: of two NaN of
// different bits that meet in an operator, which one comes out must not depend on whether an
// element is in a whole vector, in the rest of a row, or in a larger block of rows.
#include <bit>

#include "tests/kernels/simd/activations.h"
#include "tests/support/attention_forms.h"
#include "tests/support/rotary_forms.h"

namespace webnn::inline v0_1::test {
namespace {

using B = MLGraphBuilder;

/// Half of the elements are NaN of both signs with different payloads, some are infinite.
std::vector<float> with_nans(std::mt19937& random, std::size_t n, unsigned one_of = 3) {
  std::uniform_real_distribution<float> u(-2, 2);
  std::vector<float> v(n);
  for (float& x : v) {
    x = u(random);
    const std::uint32_t payload = 0x7fc00000u | (random() & 0xfffff);
    const unsigned kind = static_cast<unsigned>(random() % (3 * one_of));
    if (kind < 3) x = std::bit_cast<float>(payload | (kind == 0 ? 0x80000000u : 0));
    else if (kind == 3) x = random() % 2 ? INFINITY : -INFINITY;
  }
  return v;
}
MLOperand in(ChainUnderTest& t, Dims shape, unsigned one_of = 3) {
  auto values = with_nans(t.random, element_count(shape), one_of);
  return t.input(std::move(shape), std::move(values));
}
MLOperand constant(ChainUnderTest& t, Dims shape, unsigned one_of = 3) {
  const auto values = with_nans(t.random, element_count(shape), one_of);
  return t.b.constant({float32, std::move(shape)}, std::span<const float>(values));
}

template <class F> void check(const char* name, F build) {
  INFO(name);
  for_targets([&] {
    ChainUnderTest t;
    const MLOperand y = build(t);
    const Lowering l = t.lower(y);
    if (const auto* refusal = std::get_if<Refusal>(&l)) FAIL_CHECK("refused: " << refusal->reason);
    else t.run(y);
  });
}

using Unary = std::pair<const char*, MLOperand (*)(B&, MLOperand)>;
const Unary unary[] = {
    {"abs", [](B& b, MLOperand x) { return b.abs(x); }},
    {"ceil", [](B& b, MLOperand x) { return b.ceil(x); }},
    {"erf", [](B& b, MLOperand x) { return b.erf(x); }},
    {"exp", [](B& b, MLOperand x) { return b.exp(x); }},
    {"floor", [](B& b, MLOperand x) { return b.floor(x); }},
    {"log", [](B& b, MLOperand x) { return b.log(x); }},
    {"neg", [](B& b, MLOperand x) { return b.neg(x); }},
    {"reciprocal", [](B& b, MLOperand x) { return b.reciprocal(x); }},
    {"roundEven", [](B& b, MLOperand x) { return b.roundEven(x); }},
    {"sign", [](B& b, MLOperand x) { return b.sign(x); }},
    {"softplus", [](B& b, MLOperand x) { return b.softplus(x); }},
    {"softsign", [](B& b, MLOperand x) { return b.softsign(x); }},
    {"sqrt", [](B& b, MLOperand x) { return b.sqrt(x); }},
};
using Binary = std::pair<const char*, MLOperand (*)(B&, MLOperand, MLOperand)>;
const Binary binary[] = {
    {"add", [](B& b, MLOperand x, MLOperand y) { return b.add(x, y); }},
    {"sub", [](B& b, MLOperand x, MLOperand y) { return b.sub(x, y); }},
    {"mul", [](B& b, MLOperand x, MLOperand y) { return b.mul(x, y); }},
    {"div", [](B& b, MLOperand x, MLOperand y) { return b.div(x, y); }},
    {"max", [](B& b, MLOperand x, MLOperand y) { return b.max(x, y); }},
    {"min", [](B& b, MLOperand x, MLOperand y) { return b.min(x, y); }},
    {"prelu", [](B& b, MLOperand x, MLOperand y) { return b.prelu(x, y); }},
};

}  // namespace

TEST_CASE("simd NaN: functions of one operand") {
  for (const auto& [name, f] : unary)
    check(name, [f = f](ChainUnderTest& t) { return f(t.b, in(t, {3, 1003})); });
  for (const ActivationCase& a : activations())
    if (a.name != std::string_view("none"))
      check(a.name, [&](ChainUnderTest& t) { return a.append(t.b, in(t, {3, 1003})); });
  for (const float exponent : {-2.f, -1.f, -0.5f, 0.5f, 2.f, 3.f, 4.f})
    check("pow", [=](ChainUnderTest& t) {
      return t.b.pow(in(t, {3, 1003}), t.b.constant(float32, exponent));
    });
}

TEST_CASE("simd NaN: functions of two operands, and chains of them") {
  const std::pair<Dims, Dims> shapes[] = {{{3, 1003}, {3, 1003}}, {{3, 1003}, {1003}},
                                          {{3, 1003}, {3, 1}},    {{3, 1003}, {}},
                                          {{500, 7}, {7}},        {{300, 70}, {300, 1}}};
  for (const auto& [a, z] : shapes)
    for (const auto& [name, f] : binary) {
      check(name, [&, f = f](ChainUnderTest& t) { return f(t.b, in(t, a), in(t, z)); });
      check(name, [&, f = f](ChainUnderTest& t) { return f(t.b, in(t, z), in(t, a)); });
      for (const auto& [next, g] : binary)
        check(next, [&, f = f, g = g](ChainUnderTest& t) {
          return g(t.b, f(t.b, in(t, a), in(t, z)), in(t, a));
        });
    }
}

TEST_CASE("simd NaN: products") {
  for (const unsigned one_of : {3u, 60u}) {
    for (const std::uint32_t columns : {1u, 2u, 7u, 33u, 70u}) {
      check("matmul", [=](ChainUnderTest& t) {
        return t.b.matmul(in(t, {2, 37, 19}, one_of), in(t, {19, columns}, one_of));
      });
      for (const std::uint32_t rows : {1u, 5u, 37u})
        check("gemm", [=](ChainUnderTest& t) {
          return t.b.gemm(in(t, {rows, 19}, one_of), constant(t, {19, columns}, one_of),
                          {.c = in(t, {columns})});
        });
      check("gemm and what follows", [=](ChainUnderTest& t) {
        const MLOperand y = t.b.gemm(in(t, {37, 19}, one_of), constant(t, {19, columns}, one_of));
        return t.b.sigmoid(t.b.add(y, in(t, {37, columns})));
      });
    }
    for (const std::uint32_t rows : {1u, 4u, 20u})
      check("attention", [=](ChainUnderTest& t) {
        const MLOperand s = t.b.matmul(in(t, {3, rows, 9}, one_of), in(t, {3, 9, 21}, one_of));
        const MLOperand masked =
            t.b.add(t.b.mul(s, t.b.constant(float32, 0.5)), in(t, {rows, 21}, 60));
        return t.b.matmul(t.b.softmax(masked, 2), in(t, {3, 21, 11}, one_of));
      });
    for (const GroupBy groups : {GroupBy::nothing, GroupBy::expand, GroupBy::rows})
      for (const KeysAs keys : {KeysAs::columns, KeysAs::rows})
        check("attention in other forms", [=](ChainUnderTest& t) {
          const AttentionWritten w{ScaleAt::both, true, MaskBy::where_and_add, keys, groups};
          const AttentionSizes s;
          std::vector<std::uint8_t> kept(std::size_t{s.rows} * s.terms);
          for (std::uint8_t& k : kept) k = t.random() % 4 != 0;
          return attention_written(
              t.b,
              {in(t, query_shape(w, s), one_of), in(t, key_shape(w, s), one_of),
               in(t, value_shape(w, s), one_of), in(t, {1, 1, 1, s.terms}, 60),
               t.b.constant({uint8, {s.rows, s.terms}}, kept)},
              w, s);
        });
  }
}

TEST_CASE("simd NaN: images") {
  using enum MLInputOperandLayout;
  using enum MLConv2dFilterOperandLayout;
  for (const unsigned one_of : {3u, 100u}) {
    using Sizes = std::pair<Dims, Dims>;  // of the image, and of the filter
    const Sizes sizes[] = {{{1, 9, 9, 12}, {18, 3, 3, 12}},   {{2, 13, 11, 5}, {7, 3, 3, 5}},
                           {{1, 14, 14, 19}, {33, 1, 1, 19}}, {{1, 20, 19, 32}, {40, 3, 3, 32}},
                           {{1, 17, 15, 3}, {16, 5, 5, 3}},   {{1, 6, 6, 70}, {3, 2, 1, 70}}};
    for (const auto& [image, filter] : sizes)
      for (const bool activated : {false, true})
        check("conv2d", [&](ChainUnderTest& t) {
          const MLOperand y =
              t.b.conv2d(in(t, image, one_of), constant(t, filter, one_of),
                         {.padding = {1, 0, 1, 1}, .inputLayout = nhwc, .filterLayout = ohwi});
          return activated ? t.b.sigmoid(y) : y;
        });
    for (const std::uint32_t channels : {5u, 33u})
      for (const std::uint32_t size : {3u, 5u, 4u})
        for (const std::uint32_t stride : {1u, 2u})
          check("depthwise", [=](ChainUnderTest& t) {
            return t.b.conv2d(in(t, {1, 13, 15, channels}, one_of),
                              constant(t, {1, size, size, channels}, one_of),
                              {.padding = {1, 1, 1, 1},
                               .strides = {stride, stride},
                               .groups = channels,
                               .inputLayout = nhwc,
                               .filterLayout = ihwo});
          });
    check("grouped", [=](ChainUnderTest& t) {
      return t.b.conv2d(in(t, {1, 9, 9, 12}, one_of), constant(t, {18, 3, 3, 4}, one_of),
                        {.groups = 3, .inputLayout = nhwc, .filterLayout = ohwi});
    });
    check("convTranspose2d", [=](ChainUnderTest& t) {
      return t.b.convTranspose2d(in(t, {1, 9, 9, 12}, one_of), constant(t, {18, 3, 3, 12}, one_of),
                                 {.strides = {2, 2},
                                  .inputLayout = nhwc,
                                  .filterLayout = MLConvTranspose2dFilterOperandLayout::ohwi});
    });
    for (const std::uint32_t channels : {5u, 33u}) {
      const auto x = [=](ChainUnderTest& t) { return in(t, {2, 13, 11, channels}, one_of); };
      check("averagePool2d", [=](ChainUnderTest& t) {
        return t.b.averagePool2d(x(t), {.windowDimensions = std::vector{3u, 2u}, .layout = nhwc});
      });
      check("maxPool2d", [=](ChainUnderTest& t) {
        return t.b.maxPool2d(x(t), {.windowDimensions = std::vector{3u, 2u}, .layout = nhwc});
      });
      check("resample2d", [=](ChainUnderTest& t) {
        return t.b.resample2d(
            x(t), {.mode = MLInterpolationMode::linear, .scales = {1.7f, 2.3f}, .axes = {1, 2}});
      });
    }
  }
}

TEST_CASE("simd NaN: reductions and normalizations") {
  for (const unsigned one_of : {3u, 400u}) {
    const auto x = [=](ChainUnderTest& t) { return in(t, {37, 65, 101}, one_of); };
    for (const std::uint32_t axis : {0u, 1u, 2u}) {
      const MLReduceOptions o{.axes = std::vector{axis}};
      check("reduceSum", [&](ChainUnderTest& t) { return t.b.reduceSum(x(t), o); });
      check("reduceMean", [&](ChainUnderTest& t) { return t.b.reduceMean(x(t), o); });
      check("reduceMax", [&](ChainUnderTest& t) { return t.b.reduceMax(x(t), o); });
      check("reduceMin", [&](ChainUnderTest& t) { return t.b.reduceMin(x(t), o); });
      check("reduceSumSquare", [&](ChainUnderTest& t) { return t.b.reduceSumSquare(x(t), o); });
    }
    check("softmax", [&](ChainUnderTest& t) { return t.b.softmax(x(t), 2); });
    check("layerNormalization", [&](ChainUnderTest& t) {
      return t.b.layerNormalization(
          x(t), {.scale = in(t, {101}), .bias = in(t, {101}), .axes = std::vector{2u}});
    });
    for (const auto layout : {MLInputOperandLayout::nchw, MLInputOperandLayout::nhwc})
      check("instanceNormalization", [&](ChainUnderTest& t) {
        return t.b.instanceNormalization(in(t, {2, 9, 35, 43}, one_of), {.layout = layout});
      });
    for (const std::uint32_t axis : {1u, 3u})
      check("batchNormalization", [=](ChainUnderTest& t) {
        const std::uint32_t channels = axis == 1 ? 9 : 43;
        return t.b.batchNormalization(
            in(t, {2, 9, 35, 43}, one_of), in(t, {channels}), in(t, {channels}),
            {.scale = in(t, {channels}), .bias = in(t, {channels}), .axis = axis});
      });
    check("rms normalization", [=](ChainUnderTest& t) {
      const MLOperand y = x(t), square = t.b.mul(y, y);
      const MLOperand mean =
          t.b.reduceMean(square, {.axes = std::vector{2u}, .keepDimensions = true});
      const MLOperand root = t.b.sqrt(t.b.add(mean, t.b.constant(float32, 0.001)));
      return t.b.mul(t.b.div(y, root), in(t, {101}));
    });
    for (const RotaryWritten& w : rotary_forms())
      check("rotary embedding", [=](ChainUnderTest& t) {
        const std::uint32_t n = w.by_pair ? 23 : 46;
        return rotary_written(t.b, in(t, {5, 7, 46}, one_of), in(t, {7, n}), in(t, {7, n}), w);
      });
  }
}

TEST_CASE("simd NaN: recurrent networks") {
  for (const unsigned one_of : {3u, 100u})
    for (const std::uint32_t hidden : {37u, 64u}) {
      check("gruCell", [=](ChainUnderTest& t) {
        return t.b.gruCell(in(t, {3, 7}, one_of), constant(t, {3 * hidden, 7}, one_of),
                           constant(t, {3 * hidden, hidden}, one_of), in(t, {3, hidden}, one_of),
                           hidden);
      });
      check("gru", [=](ChainUnderTest& t) {
        return t.b.gru(in(t, {4, 3, 7}, one_of), constant(t, {1, 3 * hidden, 7}, one_of),
                       constant(t, {1, 3 * hidden, hidden}, one_of), 4, hidden)[0];
      });
    }
}

}  // namespace webnn::inline v0_1::test
