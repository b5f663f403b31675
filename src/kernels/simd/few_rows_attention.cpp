#include "src/kernels/simd/few_rows_attention.h"

#include <algorithm>

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/attention_rows.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/growing_attention.h"
#include "src/kernels/simd/product/product.h"
#include "src/kernels/simd/vector/float32/few_queries.h"
#include "src/kernels/simd/vector/float32/unpacked_gemm.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

using fused::Scaling;

class FewRowsAttention {
 public:
  FewRowsAttention(const fused::attention& op, const std::optional<GrowingRows>& growing)
      : a_(op), terms_(a_, growing) {
    constexpr double exponential = 4;  // operations
    const double each = static_cast<double>(a_.rows * a_.terms);
    tiles_ = partition(
        a_.batches,
        each * (static_cast<double>(a_.inner + a_.columns) / macs_per_operation + exponential));
    if (!has_key_rows()) zeros_ = CacheAligned<float>(padded_columns(static_cast<int>(a_.terms)));
  }

  /// Whether it computes what the operator says, with what the keys and values lie like.
  bool fits() const {
    if (a_.options.keyScaling != Scaling::none) return false;
    if (!has_key_rows() && a_.key_term != 1) return false;
    return scratch() <= max_scratch && terms_.fits(a_);
  }

  Candidate kernel() const {
    return {
        .name = terms_.is_growing() ? "attention of few rows, growing" : "attention of few rows",
        .tiles = tiles_.tiles(),
        .grain = static_cast<int>(divide_up(group(), tiles_.each)),
        .scratch = scratch(),
        .run = [self = std::make_shared<const FewRowsAttention>(*this)](Range r, const Buffers& b,
                                                                        std::byte* scratch) {
          self->run(r, b, reinterpret_cast<float*>(scratch));
        }};
  }

 private:
  bool has_key_rows() const { return a_.key_inner == 1; }
  /// Matrices with the same keys and values, such as the heads of a group, that read them together.
  std::size_t max_together() const {
    constexpr std::size_t many_rows = 8;
    return std::clamp<std::size_t>(many_rows / a_.rows, 1, a_.batches);
  }
  std::size_t group() const {
    std::size_t n = 1;
    while (n < max_together() && has_same(0, n)) ++n;
    return n;
  }
  bool has_same(std::size_t i, std::size_t other) const {
    return a_.keys[other] == a_.keys[i] && a_.values[other] == a_.values[i];
  }
  std::size_t max_rows() const { return max_together() * a_.rows; }
  static std::size_t padded(std::size_t floats) { return round_up(floats, to_size(lanes())); }
  std::size_t scratch() const {
    return (scores_floats() + query_floats() + sum_floats()) * sizeof(float);
  }
  std::size_t scores_floats() const { return padded(max_rows() * a_.terms); }
  std::size_t query_floats() const { return max_rows() * padded(a_.inner); }
  std::size_t sum_floats() const { return 2 * max_rows() * padded(a_.columns); }

  void run(Range r, const Buffers& b, float* scratch) const {
    const std::size_t terms = terms_.of(b), end = tiles_.end(r);
    for (std::size_t i = tiles_.begin(r), next = i; i < end; i = next) {
      for (next = i + 1; next < end && next - i < max_together() && has_same(i, next);) ++next;
      run_together(i, next, terms, b, scratch);
    }
  }
  void run_together(std::size_t first, std::size_t last, std::size_t terms, const Buffers& b,
                    float* scores) const {
    float *queries = scores + scores_floats(), *sums = queries + query_floats();
    const std::size_t rows = (last - first) * a_.rows;
    for (std::size_t i = first; i < last; ++i)
      put_queries(b, i, queries + (i - first) * a_.rows * padded(a_.inner));
    const StoredRows keys = terms_.rows(b, 1, a_.keys[first], terms, a_.inner, a_.key_term);
    if (has_key_rows()) multiply_keys(keys, queries, rows, scores);
    else multiply_key_columns(keys, queries, rows, scores);
    const std::size_t mask_row = terms_.mask_row(a_, terms);
    for (std::size_t i = first; i < last; ++i)
      a_.mask_scores(b, i, 0, a_.rows, scores + (i - first) * a_.rows * terms, terms, mask_row);
    softmax_rows(scores, rows, terms, scores);
    float* const y = b.out<float>() + first * a_.rows * a_.columns;
    sum_values(terms_.rows(b, 2, a_.values[first], terms, a_.columns, a_.columns), scores, rows, y,
               sums);
    for (std::size_t i = first; i < last; ++i)
      a_.clear_rows(b, i, 0, a_.rows, y + (i - first) * a_.rows * a_.columns);
  }
  /// The queries of a matrix, scaled, in whole vectors.
  void put_queries(const Buffers& b, std::size_t i, float* to) const {
    const float* from = b.in<float>(0) + a_.queries[i];
    for (std::size_t r = 0; r < a_.rows; ++r, from += a_.inner, to += padded(a_.inner)) {
      std::copy_n(from, a_.inner, to);
      std::fill(to + a_.inner, to + padded(a_.inner), 0.f);
      if (a_.options.queryScaling != Scaling::none)
        scale_and_mask_rows(a_.query_scale, to, 1, a_.inner);
    }
  }
  /// Keys that lie in columns.
  void multiply_key_columns(const StoredRows& keys, const float* queries, std::size_t rows,
                            float* scores) const {
    const UnpackedGemm g{.rows = static_cast<int>(rows),
                         .columns = static_cast<int>(keys.rows),
                         .k = a_.inner,
                         .x_row = padded(a_.inner),
                         .w_k = a_.key_inner,
                         .w_column = a_.key_term,
                         .bias = zeros_.data()};
    unpacked_gemm(g, 0, vector_columns(g.columns), queries,
                  reinterpret_cast<const float*>(keys.data), scores, nullptr);
  }

  AttentionRows a_;
  AttentionTerms terms_;
  Partition tiles_{};
  CacheAligned<float> zeros_{};
};

}  // namespace

bool are_few(std::size_t rows, std::size_t terms) {
  constexpr std::size_t few_rows = 7, few_terms = 15;
  return rows <= few_rows || terms <= few_terms;
}

std::optional<Candidate> few_rows_attention(const fused::attention& op,
                                            const std::optional<GrowingRows>& rows) {
  if (!shapes_of(op)) return std::nullopt;
  const FewRowsAttention kernel(op, rows);
  return kernel.fits() ? std::optional(kernel.kernel()) : std::nullopt;
}

}  // namespace webnn::inline v0_1::simd
