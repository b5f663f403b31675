// Operators that are written out in others, which passes and backends recognize, with constants of
// shapes that they may not fit.
#include <numbers>

#include "tests/random/generator.h"

namespace webnn::inline v0_1::test {
namespace {

/// A constant that is combined with x: mostly of the usual shape, else of any that broadcasts with
/// x, also to a larger result.
template <class Values> MLOperand beside(Generator& g, const MLOperand& x, Dims usual, Values f) {
  Dims shape = usual;
  if (g.chance(0.35)) {
    shape = g.random().broadcastable(x.shape());
    if (g.chance(0.4)) shape = Dims(g.between(0, std::min(x.rank() + 2, 6u)), 1);
    if (g.chance(0.2)) shape = x.shape();
    if (g.chance(0.3) && shape.size() <= x.rank() && shape.size() < 5) {
      shape.insert(shape.begin(), x.rank() + 1 - shape.size(), 1);
      shape.front() = g.between(1, 2);
    }
    if (element_count(shape) * element_count(x.shape()) > 4 * g.most_elements()) shape = usual;
  }
  return g.constant(f(shape));
}
MLOperand number(Generator& g, const MLOperand& x, double value) {
  return beside(g, x, g.one_of(std::vector<Dims>{{}, {1}}),
                [&](const Dims& shape) { return filled(x.dataType(), shape, value); });
}
MLOperand row(Generator& g, const MLOperand& x, Interval values = {-1, 1}) {
  return beside(g, x, {x.shape().back()},
                [&](const Dims& shape) { return g.tensor(x.dataType(), shape, values); });
}

/// In either order.
template <class Op>
MLOperand combined(Generator& g, const MLOperand& a, const MLOperand& b, int bits) {
  return g.chance(0.5) ? g.append(Op{a, b}, bits) : g.append(Op{b, a}, bits);
}
template <class Op> MLOperand over_rows(Generator& g, const MLOperand& x) {
  return g.append(Op{x, {.axes = {x.rank() - 1}, .keepDimensions = true}});
}
MLOperand square(Generator& g, const MLOperand& x) {
  return g.chance(0.5) ? g.append(ops::mul{x, x}, 12) : g.append(ops::pow{x, number(g, x, 2)}, 12);
}
/// 1 / sqrt(mean + epsilon), or what it divides by.
MLOperand with_epsilon(Generator& g, const MLOperand& mean) {
  return combined<ops::add>(g, mean, number(g, mean, 0.001), 12);
}

void layer_normalization(Generator& g) {
  const MLOperand x = g.limited(types::floats, 6, {1, 4});
  const MLOperand d = g.append(ops::sub{x, over_rows<ops::reduceMean>(g, x)});
  const MLOperand variance = over_rows<ops::reduceMean>(g, square(g, d));
  MLOperand y = g.append(ops::div{d, g.append(ops::sqrt{with_epsilon(g, variance)}, 6)}, 4);
  if (g.chance(0.8)) y = combined<ops::mul>(g, y, row(g, y), 4);
  if (g.chance(0.8)) combined<ops::add>(g, y, row(g, y), 5);
}

void rms_normalization(Generator& g) {
  const MLOperand x = g.limited(types::floats, 6, {1, 4});
  const MLOperand sum = with_epsilon(g, over_rows<ops::reduceMean>(g, square(g, x)));
  MLOperand y;
  if (g.chance(0.3)) {
    y = combined<ops::mul>(g, x, g.append(ops::pow{sum, number(g, sum, -0.5)}, 5), 4);
  } else {
    const MLOperand root = g.append(ops::sqrt{sum}, 6);
    switch (g.between(0, 2)) {
      case 0: y = g.append(ops::div{x, root}, 4); break;
      case 1: y = combined<ops::mul>(g, x, g.append(ops::reciprocal{root}, 5), 4); break;
      default: y = combined<ops::mul>(g, x, g.append(ops::div{number(g, root, 1), root}, 5), 4);
    }
  }
  if (g.chance(0.8)) combined<ops::mul>(g, y, row(g, y), 4);
}

void softmax(Generator& g) {
  MLOperand x = g.limited(types::floats, 5, {1, 4});
  if (g.chance(0.5)) x = combined<ops::add>(g, x, row(g, x), 6);
  const MLOperand e = g.append(ops::exp{g.append(ops::sub{x, over_rows<ops::reduceMax>(g, x)})}, 0);
  const MLOperand y = g.append(ops::div{e, over_rows<ops::reduceSum>(g, e)}, 0);
  if (g.chance(0.3)) combined<ops::mul>(g, y, row(g, y), 1);
}

void gelu(Generator& g) {
  const MLOperand x = g.limited(types::floats, 3, {0, 4});
  const bool divides = g.chance(0.5);
  const MLOperand root = number(g, x, divides ? std::numbers::sqrt2 : 1 / std::numbers::sqrt2);
  const MLOperand argument =
      divides ? g.append(ops::div{x, root}) : combined<ops::mul>(g, x, root, 3);
  const MLOperand erf = g.append(ops::erf{argument}, 0);
  MLOperand factor = combined<ops::add>(g, erf, number(g, erf, 1), 1);
  const bool early = g.chance(0.5);
  if (early) factor = combined<ops::mul>(g, factor, number(g, factor, 0.5), 0);
  const MLOperand y = combined<ops::mul>(g, x, factor, 4);
  if (!early) combined<ops::mul>(g, y, number(g, y, 0.5), 3);
}

void hard_swish(Generator& g) {
  const MLOperand x = g.limited(types::floats, 3, {0, 4});
  const MLOperand sum = combined<ops::add>(g, x, number(g, x, 3), 4);
  const MLOperand c = g.append(ops::clamp{sum, {.minValue = 0, .maxValue = 6}}, 3);
  const MLOperand y = combined<ops::mul>(g, x, c, 6);
  if (g.chance(0.5)) g.append(ops::div{y, number(g, y, 6)}, 4);
  else combined<ops::mul>(g, y, number(g, y, 1.0 / 6), 4);
}

/// y * sigmoid(y) behind a product or a normalization.
void swish(Generator& g) {
  const MLOperand x = g.limited(types::floats, 3, {2, 3});
  MLOperand y =
      g.append(ops::matmul{x, g.weight(x.dataType(), {x.shape().back(), g.between(1, 6)})}, 6);
  if (g.chance(0.5)) y = combined<ops::add>(g, y, row(g, y), 6);
  combined<ops::mul>(g, y, g.append(ops::sigmoid{y}, 0), 6);
}

MLOperand scaled(Generator& g, const MLOperand& x, double chance) {
  if (!g.chance(chance)) return x;
  return g.chance(0.5) ? combined<ops::mul>(g, x, number(g, x, 0.375), 3)
                       : g.append(ops::div{x, number(g, x, 1.5)}, 3);
}
/// x, scaled by what does not change its shape.
MLOperand scaled_operand(Generator& g, const MLOperand& x) {
  const MLOperand y = scaled(g, x, 0.2);
  return y.shape() == x.shape() ? y : x;
}
/// Each head of x, [batch, heads, ...], as several.
MLOperand repeated_heads(Generator& g, const MLOperand& x, std::uint32_t times) {
  const Dims& s = x.shape();
  if (g.chance(0.3)) {
    Tensor heads = filled(int32, {s[1] * times}, 0);
    for (std::uint32_t h = 0; h < s[1] * times; ++h) heads.set(h, g.chance(0.95) ? h / times : 0);
    return g.append(ops::gather{x, g.constant(heads), {.axis = 1}});
  }
  const MLOperand one = g.append(ops::reshape{x, {s[0], s[1], 1, s[2], s[3]}});
  const Dims all{s[0], s[1], times, s[2], s[3]};
  const MLOperand y = g.chance(0.3) ? g.append(ops::tile{one, {1, 1, times, 1, 1}})
                                    : g.append(ops::expand{one, all});
  return g.append(ops::reshape{y, {s[0], s[1] * times, s[2], s[3]}});
}
/// Scores of which some are replaced, or to which a mask is added, or both.
MLOperand masked(Generator& g, MLOperand s, const Dims& shape) {
  if (g.chance(0.3)) {
    Tensor seen = filled(uint8, shape, 0);
    for (std::size_t i = 0; i < element_count(shape); ++i) seen.set(i, g.chance(0.7));
    const MLOperand c = g.chance(0.5) ? g.constant(seen) : g.input(seen), n = number(g, s, -100);
    s = g.chance(0.7) ? g.append(ops::where{c, s, n}, 7) : g.append(ops::where{c, n, s}, 7);
  }
  return g.chance(0.6) ? combined<ops::add>(g, s, row(g, s), 7) : s;
}

/// Enough rows and terms for a kernel that does all of it.
void attention(Generator& g) {
  const auto type = g.type_in(types::floats);
  const std::uint32_t rows = g.between(7, 12), terms = g.between(14, 20), inner = g.between(1, 4);
  const std::uint32_t times = g.chance(0.3) ? g.between(2, 3) : 1;
  const bool batches = times > 1 || g.chance(0.4);
  const bool more_rows = times > 1 && g.chance(0.3), late = g.chance(0.5);
  const auto operand = [&](std::uint32_t m, std::uint32_t n, std::uint32_t heads) {
    Dims shape{m, n};
    if (batches) shape.insert(shape.begin(), heads);
    if (times > 1) shape.insert(shape.begin(), 1);
    return g.leaf(type, shape, {-1, 1});
  };
  const auto grouped = [&](const MLOperand& x) {
    return times > 1 && !more_rows ? repeated_heads(g, x, times) : x;
  };
  const MLOperand q = scaled_operand(
      g, more_rows ? operand(rows * times, inner, 2) : operand(rows, inner, 2 * times));
  const bool turned = g.chance(0.5);
  MLOperand k = turned ? operand(terms, inner, 2) : operand(inner, terms, 2);
  if (!late) k = grouped(k);
  if (turned) {
    Dims order;
    for (std::uint32_t d = 0; d < k.rank(); ++d) order.push_back(d);
    std::swap(order.end()[-1], order.end()[-2]);
    k = g.append(ops::transpose{k, {.permutation = OptionalList<std::uint32_t>(order)}});
  }
  if (late) k = grouped(k);
  k = scaled_operand(g, k);
  MLOperand s = g.append(ops::matmul{q, k}, 4);
  const Dims shape = s.shape();
  if (more_rows) s = g.append(ops::reshape{s, {1, 2 * times, rows, terms}});
  s = masked(g, scaled(g, s, 0.5), {rows, terms});
  MLOperand p = g.append(ops::softmax{s, s.rank() - 1}, 0);
  if (element_count(p.shape()) != element_count(shape)) return;  // more than the scores
  if (more_rows) p = g.append(ops::reshape{p, shape});
  const MLOperand v = grouped(operand(terms, g.between(1, 5), 2));
  if (p.rank() != shape.size()) return;
  MLOperand y = g.append(ops::matmul{p, v}, 1);
  if (g.chance(0.4)) {  // rows that are left out
    Tensor left_out = filled(uint8, {y.shape().end()[-2], 1}, 0);
    for (std::size_t i = 0; i < element_count(left_out.shape); ++i) left_out.set(i, g.chance(0.3));
    y = g.append(ops::where{g.chance(0.5) ? g.constant(left_out) : g.input(left_out),
                            g.constant(filled(type, {}, 0)), y});
  }
}

/// The first and the second elements of the pairs of all rows: halves, or neighbors.
std::pair<MLOperand, MLOperand> pairs_of(Generator& g, const MLOperand& x, bool interleaved) {
  const std::uint32_t last = x.rank() - 1, half = x.shape()[last] / 2;
  Dims first(x.rank(), 0), second = first, sizes = x.shape();
  if (interleaved && g.chance(0.4) && x.rank() < 5) {
    Dims pairs = x.shape(), elements = x.shape();
    elements[last] = pairs[last] = half;
    pairs.push_back(2);
    const MLOperand y = g.append(ops::reshape{x, pairs});
    const auto both = g.append(ops::split{y, 2u, {.axis = last + 1}});
    return {g.append(ops::reshape{both[0], elements}), g.append(ops::reshape{both[1], elements})};
  }
  if (!interleaved && g.chance(0.3)) {
    const auto both = g.append(ops::split{x, 2u, {.axis = last}});
    return {both[0], both[1]};
  }
  second[last] = interleaved ? 1 : half;
  sizes[last] = interleaved ? 2 * half - 1 : half;
  Dims strides(x.rank(), 1);
  strides[last] = interleaved ? 2 : 1;
  const auto part = [&](const Dims& starts) {
    return g.append(ops::slice{x, starts, sizes, {.strides = strides}});
  };
  const MLOperand b = part(second);
  return {part(first), b};
}
MLOperand joined(Generator& g, MLOperand a, MLOperand b, bool interleaved) {
  Dims shape = a.shape(), column = shape;
  shape.back() *= 2;
  if (!interleaved) return g.append(ops::concat{{a, b}, a.rank() - 1});
  column.push_back(1);
  a = g.append(ops::reshape{a, column});
  b = g.append(ops::reshape{b, column});
  return g.append(ops::reshape{g.append(ops::concat{{a, b}, a.rank() - 1}), shape});
}

/// Whether two operands broadcast with each other.
bool fit(const MLOperand& a, const MLOperand& b) {
  const auto sizes = [](const MLOperand& x) { return shape::sizes(x.shape()); };
  return shape::broadcast(sizes(a), sizes(b)).has_value();
}

void rotary_embedding(Generator& g) {
  MLOperand x = g.limited(types::floats, 4, {1, 4});
  if (x.shape().back() % 2 != 0) x = g.append(ops::concat{{x, x}, x.rank() - 1});
  const bool interleaved = g.chance(0.4), by_pair = g.chance(0.4);
  const auto [first, second] = pairs_of(g, x, interleaved);
  if (!by_pair) {
    const MLOperand turned = joined(g, g.append(ops::neg{second}), first, interleaved);
    const MLOperand a = combined<ops::mul>(g, x, row(g, x), 4);
    const MLOperand b = combined<ops::mul>(g, turned, row(g, turned), 4);
    if (fit(a, b)) combined<ops::add>(g, a, b, 5);
    return;
  }
  const MLOperand cos = row(g, first), sin = row(g, first);
  const auto product = [&](const MLOperand& p, const MLOperand& q) {
    return combined<ops::mul>(g, p, q, 4);
  };
  const MLOperand a = product(first, cos), b = product(second, sin);
  const MLOperand c = product(first, sin), d = product(second, cos);
  if (!fit(a, b) || !fit(c, d)) return;
  const MLOperand real = g.append(ops::sub{a, b}, 5), imaginary = combined<ops::add>(g, c, d, 5);
  if (real.rank() > 0 && real.rank() < 6 && real.shape() == imaginary.shape())
    joined(g, real, imaginary, interleaved);
}

}  // namespace

void generate_written_out(Generator& g) {
  switch (g.between(0, 7)) {
    case 0: return layer_normalization(g);
    case 1: return rms_normalization(g);
    case 2: return softmax(g);
    case 3: return gelu(g);
    case 4: return hard_swish(g);
    case 5: return swish(g);
    case 6: return attention(g);
    default: return rotary_embedding(g);
  }
}

}  // namespace webnn::inline v0_1::test
