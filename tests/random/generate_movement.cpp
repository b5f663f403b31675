// Operators that move elements.
#include "tests/random/generator.h"

namespace webnn::inline v0_1::test {
namespace {

void make(Generator& g, std::type_identity<ops::concat>) {
  const MLOperand x = g.any(types::any, {1, 6});
  const std::uint32_t axis = g.between(0, x.rank() - 1);
  std::vector<MLOperand> parts{x};
  for (std::uint32_t more = g.chance(0.1) ? 0 : g.between(1, 3); more > 0; --more) {
    Dims shape = x.shape();
    if (g.chance(0.5)) shape[axis] = g.between(1, 4);
    parts.push_back(g.chance(0.15) ? x : g.like(x.dataType(), shape));
  }
  std::uint64_t count = 0;
  for (const MLOperand& p : parts) count += element_count(p.shape());
  if (count > 4 * g.most_elements()) parts.resize(1);
  g.append(ops::concat{std::move(parts), axis});
}

void make(Generator& g, std::type_identity<ops::expand>) {
  const MLOperand x = g.any(types::any, {0, 5});
  Dims shape = x.shape();
  for (std::uint32_t& d : shape)
    if (d == 1 && g.chance(0.5)) d = g.between(1, 4);
  while (shape.size() < 6 && g.chance(0.3)) shape.insert(shape.begin(), g.between(1, 3));
  if (!g.fits(shape)) shape = x.shape();
  g.append(ops::expand{x, shape});
}

void make(Generator& g, std::type_identity<ops::pad>) {
  const MLOperand x = g.any(types::any);
  ops::pad op{x, Dims(x.rank()), Dims(x.rank())};
  op.options.mode = g.one_of({MLPaddingMode::constant, MLPaddingMode::constant, MLPaddingMode::edge,
                              MLPaddingMode::reflection});
  const bool reflects = op.options.mode == MLPaddingMode::reflection;
  Dims shape = x.shape();
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    const std::uint32_t most = reflects ? x.shape()[d] - 1 : 3;
    if (g.chance(0.5)) op.beginningPadding[d] = g.between(0, std::min(most, 3u));
    if (g.chance(0.5)) op.endingPadding[d] = g.between(0, std::min(most, 3u));
    shape[d] += op.beginningPadding[d] + op.endingPadding[d];
    if (!g.fits(shape))
      shape[d] -= op.beginningPadding[d] + op.endingPadding[d],
          op.beginningPadding[d] = op.endingPadding[d] = 0;
  }
  if (op.options.mode == MLPaddingMode::constant && g.chance(0.5))
    op.options.value = g.one_of({MLNumber(1), MLNumber(-2.5), MLNumber(1000), MLNumber(-HUGE_VAL)});
  g.append(op);
}

void make(Generator& g, std::type_identity<ops::reshape>) {
  const MLOperand x = g.any(types::any);
  std::vector<std::uint32_t> factors;
  for (std::uint32_t d : x.shape())
    for (std::uint32_t p = 2; d > 1; ++p)
      for (; d % p == 0; d /= p) factors.push_back(p);
  Dims shape(g.between(factors.empty() ? 0 : 1, 6), 1);
  for (std::uint32_t f : factors)
    shape[g.between(0, static_cast<std::uint32_t>(shape.size()) - 1)] *= f;
  g.append(ops::reshape{x, shape});
}

void make(Generator& g, std::type_identity<ops::reverse>) {
  const MLOperand x = g.any(types::any);
  ops::reverse op{x};
  if (g.chance(0.7)) op.options.axes = OptionalList<std::uint32_t>(g.axes(x.rank()));
  g.append(op);
}

void make(Generator& g, std::type_identity<ops::slice>) {
  const MLOperand x = g.any(types::any);
  ops::slice op{x};
  Dims strides;
  for (std::uint32_t d : x.shape()) {
    op.starts.push_back(g.chance(0.5) ? 0 : g.between(0, d - 1));
    op.sizes.push_back(g.chance(0.4) ? d - op.starts.back() : g.between(1, d - op.starts.back()));
    strides.push_back(g.chance(0.7) ? 1 : g.between(1, 3));
  }
  if (g.chance(0.4)) op.options.strides = OptionalList<std::uint32_t>(strides);
  g.append(op);
}

void make(Generator& g, std::type_identity<ops::split>) {
  const MLOperand x = g.any(types::any, {1, 6});
  const std::uint32_t axis = g.between(0, x.rank() - 1), size = x.shape()[axis];
  ops::split op{x};
  op.options.axis = axis;
  if (g.chance(0.5)) {
    std::vector<std::uint32_t> divisors;
    for (std::uint32_t d = 1; d <= std::min(size, 6u); ++d)
      if (size % d == 0) divisors.push_back(d);
    op.splits = g.one_of(divisors);
  } else {
    Dims parts;
    for (std::uint32_t left = size; left > 0; left -= parts.back())
      parts.push_back(parts.size() < 5 ? g.between(1, left) : left);
    op.splits = parts;
  }
  g.append(op);
}

void make(Generator& g, std::type_identity<ops::tile>) {
  const MLOperand x = g.any(types::any);
  ops::tile op{x, Dims(x.rank(), 1)};
  Dims shape = x.shape();
  for (std::uint32_t d = 0; d < x.rank(); ++d)
    if (g.chance(0.4)) {
      op.repetitions[d] = g.between(1, 3);
      shape[d] *= op.repetitions[d];
      if (!g.fits(shape)) shape[d] /= op.repetitions[d], op.repetitions[d] = 1;
    }
  g.append(op);
}

void make(Generator& g, std::type_identity<ops::transpose>) {
  const MLOperand x = g.any(types::any);
  ops::transpose op{x};
  if (g.chance(0.8)) op.options.permutation = OptionalList<std::uint32_t>(g.permutation(x.rank()));
  g.append(op);
}

void make(Generator& g, std::type_identity<ops::triangular>) {
  const MLOperand x = g.any(types::any, {2, 6});
  g.append(ops::triangular{
      x, {.upper = g.chance(0.5), .diagonal = static_cast<std::int32_t>(g.between(0, 6)) - 3}});
}

}  // namespace

void generate(Generator& g, MovementFamily family, std::size_t kind) {
  with_kind(family, kind, [&](auto of) { make(g, of); });
}

}  // namespace webnn::inline v0_1::test
