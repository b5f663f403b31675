#include "src/kernels/simd/attention_rows.h"

#include <algorithm>

#include "src/kernels/common/loop.h"

namespace webnn::inline v0_1::simd {
namespace {

using fused::Scaling;
using Strides = std::array<std::ptrdiff_t, max_rank>;

/// `strides`: of a matrix [batches..., rows, columns] that is broadcast to the scores.
MatrixPlaces places_of(const Dims& scores, const Strides& strides, std::size_t repeats = 1) {
  MatrixPlaces p{.rank = scores.size() - 2, .strides = strides, .repeats = repeats};
  std::copy(scores.begin(), scores.end() - 2, p.sizes.begin());
  return p;
}

/// The strides of an operand in memory, in the order of its dimensions once they are permuted.
Strides permuted_strides(const Dims& shape, const Dims& permutation) {
  const Strides of = strides_of(shape);
  if (permutation.empty()) return of;
  Strides to{};
  for (std::size_t d = 0; d < shape.size(); ++d) to[d] = of[permutation[d]];
  return to;
}
/// For each dimension of the scores the stride of an operand with that shape and these strides.
Strides spread(const Dims& shape, const Strides& strides, std::size_t rank) {
  Strides to{};
  const std::size_t more = rank - shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1) to[d + more] = strides[d];
  return to;
}

ScoreTerms scaling(Scaling how, double factor) {
  ScoreTerms t;
  if (how != Scaling::none) t.factor = static_cast<float>(factor);
  t.divides = how == Scaling::quotient;
  return t;
}

/// f(row of the mask, row of the scores, how many) for n rows of which the first is `first`, where
/// a mask has so many rows.
template <class F>
void for_masked_rows(std::size_t first, std::size_t n, std::size_t mask_rows, F f) {
  for (std::size_t r = 0; r < n;) {
    const std::size_t row = (first + r) % mask_rows, some = std::min(n - r, mask_rows - row);
    f(row, r, some);
    r += some;
  }
}

}  // namespace

std::size_t MatrixPlaces::operator[](std::size_t i) const {
  std::ptrdiff_t at = 0;
  for (std::size_t d = rank; d-- > 0; i /= sizes[d]) {
    std::size_t here = i % sizes[d];
    if (d + 1 == rank) here /= repeats;
    at += static_cast<std::ptrdiff_t>(here) * strides[d];
  }
  return static_cast<std::size_t>(at);
}

AttentionRows::AttentionRows(const fused::attention& op)
    : options(op.options),
      shapes(*shapes_of(op)),
      query_scale(scaling(options.queryScaling, options.queryFactor)),
      key_scale(scaling(options.keyScaling, options.keyFactor)),
      score_scale(scaling(options.scoreScaling, options.scoreFactor)) {
  const Dims& s = shapes.scores;
  rows = s.end()[-2];
  terms = s.back();
  inner = op.queries.shape().back();
  columns = shapes.values.back();
  place_operands(op);
  place_masks();
}

void AttentionRows::place_operands(const fused::attention& op) {
  const Dims& s = shapes.scores;
  batches = element_count(Dims(s.begin(), s.end() - 2));
  const auto places = [&](const Dims& shape, const Strides& strides, std::size_t repeats) {
    return places_of(s, spread(shape, strides, s.size()), repeats);
  };
  const Strides of_keys = permuted_strides(op.keys.shape(), options.keysPermutation);
  queries = places(op.queries.shape(), strides_of(op.queries.shape()), 1);
  keys = places(shapes.keys, of_keys, options.keyRepeats);
  values = places(shapes.values, strides_of(op.values.shape()), options.valueRepeats);
  const std::size_t rank = shapes.keys.size();
  key_inner = static_cast<std::size_t>(of_keys[rank - 2]);
  key_term = static_cast<std::size_t>(of_keys[rank - 1]);
}

void AttentionRows::place_masks() {
  mask_rows = shapes.masked.end()[-2];
  int slot = 3;
  condition = mask_of(options.condition, slot);
  mask = mask_of(options.mask, slot);
  if (!options.leftOut) return;
  const auto strides = broadcast_strides(options.leftOut->shape(), shapes.scores);
  left_out = {slot, static_cast<std::size_t>(strides[shapes.scores.size() - 2]), 0,
              places_of(shapes.scores, strides)};
}

Mask AttentionRows::mask_of(const std::optional<MLOperand>& operand, int& slot) const {
  if (!operand) return {};
  const Dims& masked = shapes.masked;
  const auto strides = broadcast_strides(operand->shape(), masked);
  const std::size_t rank = masked.size();
  Mask m{slot++,
         static_cast<std::size_t>(strides[rank - 2]),
         static_cast<std::size_t>(strides[rank - 1]),
         {}};
  if (masked == shapes.scores) m.places = places_of(masked, strides);
  return m;
}

const float* AttentionRows::scaled_queries(const Buffers& b, std::size_t batch, std::size_t first,
                                           std::size_t n, float* scratch) const {
  const float* own = b.in<float>(0) + queries[batch] + first * inner;
  if (options.queryScaling == Scaling::none) return own;
  std::copy_n(own, n * inner, scratch);
  scale_and_mask_rows(query_scale, scratch, n, inner);
  return scratch;
}

void AttentionRows::mask_scores(const Buffers& b, std::size_t batch, std::size_t first,
                                std::size_t n, float* scores, std::size_t count,
                                std::size_t mask_row) const {
  ScoreTerms by = score_scale;
  const bool scales = options.scoreScaling != Scaling::none;
  if (scales && (mask.slot < 0 || condition.slot >= 0)) {
    scale_and_mask_rows(by, scores, n, count);
    by = {};
  }
  const std::size_t place = batch * rows + first;  // counted over all matrices
  if (condition.slot >= 0) {
    const auto* bytes = b.in<std::uint8_t>(to_size(condition.slot)) + condition.places[batch];
    for_masked_rows(place, n, mask_rows, [&](std::size_t row, std::size_t r, std::size_t some) {
      for (std::size_t k = 0; k < some; ++k)
        replace(bytes + (row + k) * condition.row, scores + (r + k) * count, count);
    });
  }
  if (mask.slot < 0) return;
  const float* values_of_mask = b.in<float>(to_size(mask.slot)) + mask.places[batch];
  by.mask_row = mask_row;
  by.mask_step = mask.step;
  for_masked_rows(place, n, mask_rows, [&](std::size_t row, std::size_t r, std::size_t some) {
    by.mask = values_of_mask + row * mask_row;
    scale_and_mask_rows(by, scores + r * count, some, count);
  });
}

void AttentionRows::replace(const std::uint8_t* bytes, float* scores, std::size_t count) const {
  const auto other = static_cast<float>(options.replacement.as_double());
  const bool keeps = options.conditionKeeps;
  if (condition.step == 0) {
    if ((*bytes != 0) != keeps) std::fill_n(scores, count, other);
    return;
  }
  for (std::size_t j = 0; j < count; ++j) scores[j] = (bytes[j] != 0) == keeps ? scores[j] : other;
}

void AttentionRows::clear_rows(const Buffers& b, std::size_t batch, std::size_t first,
                               std::size_t n, float* y) const {
  if (left_out.slot < 0) return;
  const auto* out = b.in<std::uint8_t>(to_size(left_out.slot)) + left_out.places[batch];
  for (std::size_t r = 0; r < n; ++r)
    if (out[(first + r) * left_out.row]) std::fill_n(y + r * columns, columns, 0.f);
}

}  // namespace webnn::inline v0_1::simd
