#include "src/graph/fused/attention.h"

#include <algorithm>

#include "src/graph/fused/composer.h"
#include "webnn/shape/broadcast.h"

namespace webnn::inline v0_1::fused {
namespace {

constexpr std::size_t heads_behind = 3;  // dimensions from that of the heads to the end

Dims dims(const ops::Sizes& sizes) { return {sizes.begin(), sizes.end()}; }

/// With so many times the heads; nothing if there are none.
std::optional<Dims> repeated(Dims shape, std::uint32_t times) {
  if (times == 1) return shape;
  if (times == 0 || shape.size() < heads_behind) return std::nullopt;
  std::uint32_t& heads = shape.end()[-std::ptrdiff_t{heads_behind}];
  if (std::uint64_t{heads} * times > shape::max_dimension) return std::nullopt;
  heads *= times;
  return shape;
}
std::optional<Dims> transposed(const Dims& shape, const Dims& permutation) {
  if (permutation.empty()) return shape;
  Dims to, seen = permutation;
  std::sort(seen.begin(), seen.end());
  for (std::size_t d = 0; d < seen.size(); ++d)
    if (seen[d] != d) return std::nullopt;
  if (seen.size() != shape.size()) return std::nullopt;
  for (const std::uint32_t d : permutation) to.push_back(shape[d]);
  return to;
}
/// The shape of a product of matrices.
std::optional<Dims> product_shape(const Dims& a, const Dims& b) {
  if (a.back() != b.end()[-2]) return std::nullopt;
  const auto batches = shape::broadcast(shape::sizes(Dims(a.begin(), a.end() - 2)),
                                        shape::sizes(Dims(b.begin(), b.end() - 2)));
  if (!batches) return std::nullopt;
  Dims to = dims(*batches);
  to.push_back(a.end()[-2]);
  to.push_back(b.back());
  return to;
}

bool is_spread(const Dims& from, const Dims& to) {
  return shape::broadcasts_to(shape::sizes(from), shape::sizes(to));
}
/// Whether an operand that masks the scores fits.
bool masks(const std::optional<MLOperand>& mask, const AttentionShapes& s) {
  if (!mask) return true;
  const Dims& shape = mask->shape();
  const auto batches = shape.begin() + std::max<std::ptrdiff_t>(std::ssize(shape) - 2, 0);
  return is_spread(shape, s.masked) &&
         (s.masked == s.scores ||
          std::all_of(shape.begin(), batches, [](std::uint32_t n) { return n == 1; }));
}
bool leaves_out(const std::optional<MLOperand>& rows, Dims shape) {
  shape.back() = 1;
  return !rows || is_spread(rows->shape(), shape);
}

MLOperand scaled(const MLOperand& x, Scaling scaling, double factor, Composer& to) {
  switch (scaling) {
    case Scaling::product: return to.add(ops::mul{x, to.constant(factor)});
    case Scaling::quotient: return to.add(ops::div{x, to.constant(factor)});
    case Scaling::none: break;
  }
  return x;
}
MLOperand with_repeats(const MLOperand& x, std::uint32_t times, Composer& to) {
  if (times == 1) return x;
  Dims one = x.shape(), all = one;
  const auto behind = one.end() - std::ptrdiff_t{heads_behind} + 1;
  one.insert(behind, 1);
  Dims more = one;
  more.end()[-std::ptrdiff_t{heads_behind}] = times;
  all.end()[-std::ptrdiff_t{heads_behind}] *= times;
  return to.add(ops::reshape{to.add(ops::expand{to.add(ops::reshape{x, one}), more}), all});
}
MLOperand reshaped(const MLOperand& x, const Dims& shape, Composer& to) {
  return x.shape() == shape ? x : to.add(ops::reshape{x, shape});
}

MLOperand probabilities(const attention& op, const AttentionShapes& s, Composer& to) {
  const AttentionOptions& o = op.options;
  const MLOperand queries = scaled(op.queries, o.queryScaling, o.queryFactor, to);
  MLOperand keys = scaled(op.keys, o.keyScaling, o.keyFactor, to);
  if (!o.keysPermutation.empty())
    keys = to.add(ops::transpose{keys, {.permutation = o.keysPermutation}});
  keys = with_repeats(keys, o.keyRepeats, to);
  MLOperand y = scaled(to.add(ops::matmul{queries, keys}), o.scoreScaling, o.scoreFactor, to);
  y = reshaped(y, s.masked, to);
  if (o.condition) {
    const MLOperand other = to.constant(o.replacement.as_double());
    y = o.conditionKeeps ? to.add(ops::where{*o.condition, y, other}, float32)
                         : to.add(ops::where{*o.condition, other, y}, float32);
  }
  if (o.mask) y = to.add(ops::add{y, *o.mask});
  y = to.add(ops::softmax{y, static_cast<std::uint32_t>(s.masked.size()) - 1});
  return reshaped(y, s.scores, to);
}

}  // namespace

std::optional<AttentionShapes> shapes_of(const attention& op) {
  const AttentionOptions& o = op.options;
  const auto keys = transposed(op.keys.shape(), o.keysPermutation);
  const auto all_keys = keys ? repeated(*keys, o.keyRepeats) : std::nullopt;
  const auto values = repeated(op.values.shape(), o.valueRepeats);
  const auto scores = all_keys ? product_shape(op.queries.shape(), *all_keys) : std::nullopt;
  if (!scores || !values) return std::nullopt;
  AttentionShapes s{*all_keys, *values, *scores, o.maskedShape};
  if (s.masked.empty()) s.masked = s.scores;
  const bool same = s.masked.size() >= 2 && s.masked.back() == s.scores.back() &&
                    element_count(s.masked) == element_count(s.scores);
  const auto y = same ? product_shape(s.scores, s.values) : std::nullopt;
  const bool fits = y && y->size() == s.scores.size() &&
                    std::equal(y->begin(), y->end() - 1, s.scores.begin()) &&
                    masks(o.condition, s) && masks(o.mask, s) && leaves_out(o.leftOut, *y);
  return fits ? std::optional(std::move(s)) : std::nullopt;
}

Result<ops::Shapes> infer(const attention& op) {
  if (!shapes_of(op))
    return fail("its operands do not fit: queries are {}, keys {}, values {}",
                std::span(op.queries.shape()), std::span(op.keys.shape()),
                std::span(op.values.shape()));
  return composed_shapes(op);
}

MLOperand compose(const attention& op, Composer& to) {
  const AttentionOptions& o = op.options;
  const std::optional<AttentionShapes> s = shapes_of(op);
  if (!s) raise(fail("its operands do not fit"), "attention");
  const MLOperand p = probabilities(op, *s, to);
  const MLOperand values = with_repeats(op.values, o.valueRepeats, to);
  const std::string label = o.leftOut ? "" : o.label;
  const MLOperand y = to.add(ops::matmul{p, values, {.label = label}});
  if (!o.leftOut) return y;
  return to.add(ops::where{*o.leftOut, to.constant(0), y, {.label = o.label}}, float32);
}

}  // namespace webnn::inline v0_1::fused
