// Attention, some rows at a time: their scores stay in L2, and are never stored.
#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/product/product.h"
#include "src/kernels/simd/vector/float32/rows.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

using fused::Scaling;
using Strides = std::array<std::ptrdiff_t, max_rank>;

/// Where the matrix of an operand begins for each matrix of scores, in elements.
struct MatrixPlaces {
  std::size_t rank = 0;
  std::array<std::size_t, max_rank> sizes{};  // of the batches
  Strides strides{};
  std::size_t repeats = 1;  // of each index of the last dimension

  std::size_t operator[](std::size_t i) const {
    std::ptrdiff_t at = 0;
    for (std::size_t d = rank; d-- > 0; i /= sizes[d]) {
      std::size_t here = i % sizes[d];
      if (d + 1 == rank) here /= repeats;
      at += static_cast<std::ptrdiff_t>(here) * strides[d];
    }
    return static_cast<std::size_t>(at);
  }
};
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

/// How an operand lies that masks scores: from row to row, and from one to the next in a row.
struct Mask {
  int slot = -1;  // -1: none
  std::size_t row = 0, step = 0;
  MatrixPlaces places{};
};

class AttentionKernel {
 public:
  explicit AttentionKernel(const fused::attention& op)
      : op_(op.options),
        shapes_(*shapes_of(op)),
        queries_(scaling(op_.queryScaling, op_.queryFactor)),
        keys_(scaling(op_.keyScaling, op_.keyFactor)),
        before_softmax_(scaling(op_.scoreScaling, op_.scoreFactor)) {
    const Dims& s = shapes_.scores;
    rows_ = s.end()[-2];
    terms_ = s.back();
    inner_ = op.queries.shape().back();
    columns_ = shapes_.values.back();
    place_operands(op);
    place_masks();
    constexpr std::size_t floats = 32 << 10;  // of scores: a part of L2
    const std::size_t unit = to_size(rows_at_once());
    block_ = std::min(rows_, std::max<std::size_t>(floats / terms_ / unit, 1) * unit);
    constexpr std::size_t enough = 8, min_units = 4;  // blocks; each packs keys and values
    while (batches_ * divide_up(rows_, block_) < enough && block_ >= 2 * min_units * unit)
      block_ = round_up(divide_up(block_, 2), unit);
    blocks_ = divide_up(rows_, block_);
    constexpr double exponential = 4;  // operations
    const double each = static_cast<double>(block_ * terms_);
    tiles_ = partition(
        batches_ * blocks_,
        each * (static_cast<double>(inner_ + columns_) / macs_per_operation + exponential));
    zeros_ = CacheAligned<float>(std::max(padded(terms_), padded(columns_)));
  }

  Candidate kernel() const {
    const std::size_t queries = op_.queryScaling == Scaling::none ? 0 : block_ * inner_;
    return {.name = "attention",
            .tiles = tiles_.tiles(),
            .grain = static_cast<int>(divide_up(blocks_, tiles_.each)),
            .scratch = (packed_floats() + block_ * terms_ + queries) * sizeof(float),
            .run = [self = std::make_shared<const AttentionKernel>(*this)](
                       Range r, const Buffers& b, std::byte* scratch) {
              self->run(r, b, reinterpret_cast<float*>(scratch));
            }};
  }

 private:
  /// Floats of the keys and values of one matrix, packed.
  std::size_t packed_floats() const { return inner_ * padded(terms_) + terms_ * padded(columns_); }
  static std::size_t padded(std::size_t columns) {
    return padded_columns(static_cast<int>(columns));
  }

  void place_operands(const fused::attention& op) {
    const Dims& s = shapes_.scores;
    batches_ = element_count(Dims(s.begin(), s.end() - 2));
    const auto places = [&](const Dims& shape, const Strides& strides, std::size_t repeats) {
      return places_of(s, spread(shape, strides, s.size()), repeats);
    };
    const Strides keys = permuted_strides(op.keys.shape(), op_.keysPermutation);
    queries_of_ = places(op.queries.shape(), strides_of(op.queries.shape()), 1);
    keys_of_ = places(shapes_.keys, keys, op_.keyRepeats);
    values_of_ = places(shapes_.values, strides_of(op.values.shape()), op_.valueRepeats);
    const std::size_t rank = shapes_.keys.size();
    key_inner_ = static_cast<std::size_t>(keys[rank - 2]);
    key_term_ = static_cast<std::size_t>(keys[rank - 1]);
  }
  void place_masks() {
    mask_rows_ = shapes_.masked.end()[-2];
    int slot = 3;
    condition_ = mask_of(op_.condition, slot);
    mask_ = mask_of(op_.mask, slot);
    if (!op_.leftOut) return;
    const auto strides = broadcast_strides(op_.leftOut->shape(), shapes_.scores);
    left_out_ = {slot, static_cast<std::size_t>(strides[shapes_.scores.size() - 2]), 0,
                 places_of(shapes_.scores, strides)};
  }
  Mask mask_of(const std::optional<MLOperand>& operand, int& slot) const {
    if (!operand) return {};
    const Dims& masked = shapes_.masked;
    const auto strides = broadcast_strides(operand->shape(), masked);
    const std::size_t rank = masked.size();
    Mask m{slot++,
           static_cast<std::size_t>(strides[rank - 2]),
           static_cast<std::size_t>(strides[rank - 1]),
           {}};
    if (masked == shapes_.scores) m.places = places_of(masked, strides);
    return m;
  }

  void run(Range r, const Buffers& b, float* scratch) const {
    float *keys = scratch, *values = keys + inner_ * padded(terms_),
          *scores = scratch + packed_floats(), *scaled = scores + block_ * terms_;
    bool packed = false;
    std::size_t packed_keys = 0, packed_values = 0;  // the matrices that are there
    for (std::size_t i = tiles_.begin(r); i < tiles_.end(r); ++i) {
      const std::size_t batch = i / blocks_, first = i % blocks_ * block_;
      const std::size_t rows = std::min(block_, rows_ - first);
      const std::size_t keys_at = keys_of_[batch], values_at = values_of_[batch];
      if (!packed || packed_keys != keys_at) pack_keys(b.in<float>(1) + keys_at, keys);
      if (!packed || packed_values != values_at)
        pack_columns({b.in<float>(2) + values_at, terms_, static_cast<int>(columns_), columns_, 1},
                     values);
      packed = true;
      packed_keys = keys_at;
      packed_values = values_at;
      const float* queries = b.in<float>(0) + queries_of_[batch] + first * inner_;
      if (op_.queryScaling != Scaling::none) {
        std::copy_n(queries, rows * inner_, scaled);
        scale_and_mask_rows(queries_, scaled, rows, inner_);
        queries = scaled;
      }
      multiply(queries, rows, inner_, keys, terms_, scores);
      mask_rows(b, batch, first, rows, scores);
      softmax_rows(scores, rows, terms_, scores);
      float* y = b.out<float>() + (batch * rows_ + first) * columns_;
      multiply(scores, rows, terms_, values, columns_, y);
      if (left_out_.slot >= 0) clear_rows(b, batch, first, rows, y);
    }
  }
  void pack_keys(const float* from, float* to) const {
    pack_columns({from, inner_, static_cast<int>(terms_), key_inner_, key_term_}, to);
    if (op_.keyScaling != Scaling::none) scale_and_mask_rows(keys_, to, 1, inner_ * padded(terms_));
  }
  /// Scales and masks rows of the scores of which the first is `first` of a matrix.
  void mask_rows(const Buffers& b, std::size_t batch, std::size_t first, std::size_t rows,
                 float* scores) const {
    ScoreTerms terms = before_softmax_;
    const bool scales = op_.scoreScaling != Scaling::none;
    if (scales && (mask_.slot < 0 || condition_.slot >= 0)) {
      scale_and_mask_rows(terms, scores, rows, terms_);
      terms = {};
    }
    const std::size_t place = batch * rows_ + first;  // counted over all matrices
    if (condition_.slot >= 0) {
      const auto* bytes = b.in<std::uint8_t>(to_size(condition_.slot)) + condition_.places[batch];
      for_masked_rows(place, rows, [&](std::size_t row, std::size_t r, std::size_t n) {
        for (std::size_t k = 0; k < n; ++k)
          replace(bytes + (row + k) * condition_.row, scores + (r + k) * terms_);
      });
    }
    if (mask_.slot < 0) return;
    const float* mask = b.in<float>(to_size(mask_.slot)) + mask_.places[batch];
    terms.mask_row = mask_.row;
    terms.mask_step = mask_.step;
    for_masked_rows(place, rows, [&](std::size_t row, std::size_t r, std::size_t n) {
      terms.mask = mask + row * mask_.row;
      scale_and_mask_rows(terms, scores + r * terms_, n, terms_);
    });
  }
  /// f(row of the mask, row of the scores, how many) for rows of which the first is `first`.
  template <class F> void for_masked_rows(std::size_t first, std::size_t rows, F f) const {
    for (std::size_t r = 0; r < rows;) {
      const std::size_t row = (first + r) % mask_rows_, n = std::min(rows - r, mask_rows_ - row);
      f(row, r, n);
      r += n;
    }
  }
  void replace(const std::uint8_t* condition, float* scores) const {
    const auto other = static_cast<float>(op_.replacement.as_double());
    const bool keeps = op_.conditionKeeps;
    if (condition_.step == 0) {
      if ((*condition != 0) != keeps) std::fill_n(scores, terms_, other);
      return;
    }
    for (std::size_t j = 0; j < terms_; ++j)
      scores[j] = (condition[j] != 0) == keeps ? scores[j] : other;
  }
  void clear_rows(const Buffers& b, std::size_t batch, std::size_t first, std::size_t rows,
                  float* y) const {
    const auto* left_out = b.in<std::uint8_t>(to_size(left_out_.slot)) + left_out_.places[batch];
    for (std::size_t r = 0; r < rows; ++r)
      if (left_out[(first + r) * left_out_.row]) std::fill_n(y + r * columns_, columns_, 0.f);
  }
  void multiply(const float* x, std::size_t rows, std::size_t k, const float* w,
                std::size_t columns, float* y) const {
    const Gemm g{.w = w,
                 .bias = zeros_.data(),
                 .column_size = k * to_size(lanes()),
                 .k = k,
                 .x_stride = k,
                 .y_stride = columns,
                 .columns = static_cast<int>(columns)};
    gemm(g, static_cast<int>(rows), 0, vector_columns(g.columns), x, y, nullptr);
  }

  fused::AttentionOptions op_;
  fused::AttentionShapes shapes_;
  std::size_t batches_ = 1, rows_ = 1, terms_ = 1, inner_ = 1, columns_ = 1, block_ = 1,
              blocks_ = 1, mask_rows_ = 1;
  std::size_t key_inner_ = 0, key_term_ = 0;  // strides of a matrix of keys
  MatrixPlaces queries_of_{}, keys_of_{}, values_of_{};
  Mask condition_{}, mask_{}, left_out_{};
  ScoreTerms queries_{}, keys_{}, before_softmax_{};
  Partition tiles_{};
  CacheAligned<float> zeros_{};
};

}  // namespace

Lowering lower(const fused::attention& op, Chain chain) {
  constexpr std::size_t few_rows = 8, few_terms = 16;
  constexpr std::size_t max_floats = 256 << 10;  // packed keys and values, which are to stay in L2
  if (chain.size() > 1) return Refusal{"nothing can follow in one kernel"};
  const auto shapes = shapes_of(op);
  if (!shapes) return Refusal{"the operands do not fit"};
  const Dims& s = shapes->scores;
  if (s.end()[-2] < few_rows || s.back() < few_terms) return Refusal{"attention of few rows"};
  const double floats = static_cast<double>(s.back()) *
                        (static_cast<double>(op.queries.shape().back()) + shapes->values.back());
  if (floats > max_floats) return Refusal{"attention over too many terms"};
  return AttentionKernel(op).kernel();
}

}  // namespace webnn::inline v0_1::simd
