// Products, convolutions and attention with as many terms and columns as kernels of accuracy levels
// need, and some fewer: sums of 16 terms, 16 columns, 128 columns of integers.
#include <cmath>

#include "tests/random/images.h"

namespace webnn::inline v0_1::test {
namespace {

std::uint32_t rows_of(Generator& g) {
  return g.chance(0.3) ? 1 : g.one_of({2u, 3u, 4u, 5u, 7u, 8u, 12u, 13u, 17u, 24u});
}
std::uint32_t terms_of(Generator& g) {
  return g.chance(0.1) ? g.between(1, 15)
                       : g.one_of({16u, 17u, 18u, 24u, 31u, 32u, 33u, 48u, 50u, 64u});
}
std::uint32_t columns_of(Generator& g) {
  return g.chance(0.1) ? g.between(1, 15) : g.one_of({16u, 17u, 24u, 31u, 32u, 33u, 48u, 49u, 65u});
}
Interval terms_interval(std::uint32_t terms) {
  const double most = terms > 24 ? 0.5 : 1;
  return {-most, most};
}

/// An operand of that shape: one that is there already, if it is large enough, or a new one.
MLOperand rows(Generator& g, MLOperandDataType type, const Dims& shape) {
  return g.tamed(g.like(type, shape, {-2, 2}), 4);
}

/// A sum with what is beside it and an activation, which kernels of products take over.
MLOperand finished(Generator& g, MLOperand y) {
  const auto type = y.dataType();
  if (g.chance(0.35)) {
    const MLOperand row = g.weight(type, {y.shape().back()});
    y = g.chance(0.5) ? g.append(ops::add{y, row}) : g.append(ops::add{row, y});
  }
  if (g.chance(0.25)) y = g.append(ops::add{y, g.like(type, y.shape())});
  switch (g.between(0, 9)) {
    case 0: return g.append(ops::relu{y});
    case 1: return g.append(ops::sigmoid{y}, 0);
    case 2: return g.append(ops::gelu{y});
    case 3: return g.append(ops::mul{y, g.append(ops::sigmoid{y}, 0)});
    case 4: return g.append(ops::clamp{y, {.minValue = -1, .maxValue = 3}}, 2);
    default: return y;
  }
}

void wide_gemm(Generator& g) {
  const auto type = g.type_in(types::floats);
  const std::uint32_t m = rows_of(g), k = terms_of(g), n = columns_of(g);
  MLGemmOptions o{.aTranspose = g.chance(0.2), .bTranspose = g.chance(0.4)};
  if (g.chance(0.3)) o.alpha = g.one_of({-0.75, 0.3, 2.0, 1.7});
  if (g.chance(0.5)) {
    o.c = g.weight(type, g.one_of(std::vector<Dims>{{}, {n}, {n}, {1, n}, {m, 1}, {m, n}}));
    if (g.chance(0.4)) o.beta = g.number(-2, 2);
  }
  const MLOperand a = rows(g, type, o.aTranspose ? Dims{k, m} : Dims{m, k});
  const MLOperand b = g.weight(type, o.bTranspose ? Dims{n, k} : Dims{k, n}, terms_interval(k));
  finished(g, g.append(ops::gemm{a, b, o}, 7));
}

void wide_matmul(Generator& g) {
  const auto type = g.type_in(types::floats);
  const std::uint32_t k = terms_of(g);
  Dims a{rows_of(g), k}, b{k, columns_of(g)};
  if (g.chance(0.4)) {
    const std::uint32_t batch = g.between(2, 3);
    a.insert(a.begin(), g.chance(0.8) ? batch : 1);
    if (g.chance(0.5)) b.insert(b.begin(), batch);
  }
  const MLOperand x = rows(g, type, a);
  finished(g, g.append(ops::matmul{x, g.weight(type, b, terms_interval(k))}, 7));
}

void wide_convolution(Generator& g) {
  const auto type = g.type_in(types::floats);
  const bool nhwc = g.chance(0.5);
  const std::uint32_t channels =
      g.chance(0.3) ? g.between(1, 7) : g.one_of({8u, 15u, 16u, 17u, 20u, 32u});
  const std::uint32_t batch = g.chance(0.8) ? 1 : 2, height = g.between(1, 9),
                      width = g.between(1, 9);
  const Image i{
      rows(g, type,
           nhwc ? Dims{batch, height, width, channels} : Dims{batch, channels, height, width}),
      nhwc};
  Convolution c = random_convolution(g, i);
  if (c.groups > 1 && g.chance(0.8)) c.groups = 1;
  if (c.groups == 1) c.outputs = g.one_of({8u, 16u, 17u, 31u, 32u, 34u, 48u});
  if (g.chance(0.3) && height > 1 && width > 1) {  // as most networks have them
    c.height = c.width = 3;
    c.padding = {1, 1, 1, 1};
    c.dilations = {1, 1};
  }
  const Image y = convolved(g, i, c);
  MLOperand x = y.x;
  if (g.chance(0.3)) x = g.append(ops::add{x, g.like(type, x.shape())});
  if (g.chance(0.4)) g.append(ops::relu{x});
}

/// softmax(q k' * scale + mask) v for some heads.
void wide_attention(Generator& g) {
  const auto type = g.type_in(types::floats);
  const std::uint32_t heads = g.between(1, 3), queries = g.one_of({1u, 4u, 8u, 9u, 17u, 24u}),
                      terms = g.one_of({8u, 16u, 17u, 31u, 40u, 70u}),
                      inner = g.one_of({8u, 16u, 17u, 32u}),
                      columns = g.one_of({8u, 16u, 24u, 32u, 33u});
  const MLOperand q = rows(g, type, {heads, queries, inner});
  const bool transposes = g.chance(0.7);
  MLOperand k = rows(g, type, transposes ? Dims{heads, terms, inner} : Dims{heads, inner, terms});
  if (transposes) k = g.append(ops::transpose{k, {.permutation = {0, 2, 1}}});
  MLOperand scores = g.append(ops::matmul{q, k}, 8);
  if (g.chance(0.7)) {
    const MLOperand factor = g.constant(filled(type, {}, 0.25));
    scores =
        g.chance(0.6) ? g.append(ops::mul{scores, factor}, 6) : g.append(ops::div{scores, factor});
  }
  if (g.chance(0.4)) {
    Tensor mask = g.tensor(type, {queries, terms}, {-2, 2});
    if (g.chance(0.5))
      for (std::size_t i = 0; i < mask.size(); ++i)
        mask.set(i, i % terms > i / terms + terms / 2 ? -1e4 : 0);
    scores = g.append(ops::add{scores, g.constant(mask)});
  }
  const MLOperand weights = g.append(ops::softmax{scores, 2}, 0);
  g.append(ops::matmul{weights, rows(g, type, {heads, terms, columns})}, 6);
}

/// A product with weights that are stored in fewer bits.
void small_weights(Generator& g) {
  const std::uint32_t k = g.one_of({32u, 40u, 48u, 64u, 96u, 128u}),
                      n = g.one_of({128u, 129u, 144u}), m = rows_of(g);
  const MLOperandDataType type = g.chance(0.75) ? g.one_of({int4, uint4, int8, uint8})
                                                : g.one_of({float16, bfloat16, float8e4m3});
  const bool transposed = g.chance(0.4), scaled = !is_float(type) || type == float8e4m3;
  const auto oriented = [&](std::uint32_t by_k, std::uint32_t by_n) {
    return transposed ? Dims{by_n, by_k} : Dims{by_k, by_n};
  };
  MLOperand w;
  if (scaled) {
    const std::uint32_t block = g.one_of({k, k, k / 2, 32u, 16u}),
                        blocks = k % block ? 1 : k / block;
    const Dims each = oriented(blocks, g.chance(0.8) ? n : 1);
    const double low = type == uint4 || type == uint8 ? 0 : lowest_of(type);
    const Tensor stored = g.tensor(type, oriented(k, n), {low, highest_of(type)});
    const double scale = 0.5 / highest_of(type);
    const double zero = is_float(type) || g.chance(0.4) ? 0 : highest_of(type) / 2;
    w = g.append(
        ops::dequantizeLinear{g.constant(stored),
                              g.constant(g.random().tensor(float32, each, scale, 2 * scale)),
                              g.constant(g.random().tensor(type, each, 0, zero))},
        1);
  } else {
    w = g.append(ops::cast{g.constant(g.tensor(type, oriented(k, n), {-0.5, 0.5})), float32});
  }
  const MLOperand x = rows(g, float32, {m, k});
  if (!transposed && g.chance(0.5)) return void(finished(g, g.append(ops::matmul{x, w}, 7)));
  MLGemmOptions o{.bTranspose = transposed};
  if (g.chance(0.4)) o.c = g.weight(float32, g.one_of(std::vector<Dims>{{n}, {m, n}, {m, 1}}));
  if (g.chance(0.2)) o.alpha = -0.75;
  finished(g, g.append(ops::gemm{x, w, o}, 7));
}

}  // namespace

void generate_wide(Generator& g) {
  switch (g.between(0, 9)) {
    case 0:
    case 1: return wide_gemm(g);
    case 2:
    case 3: return wide_matmul(g);
    case 4:
    case 5:
    case 6: return wide_convolution(g);
    case 7: return wide_attention(g);
    default: return small_weights(g);
  }
}

}  // namespace webnn::inline v0_1::test
