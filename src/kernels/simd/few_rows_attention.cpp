#include "src/kernels/simd/few_rows_attention.h"

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/attention_rows.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/growing_attention.h"
#include "src/kernels/simd/product/product.h"
#include "src/kernels/simd/vector/float32/unpacked_gemm.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

using fused::Scaling;

constexpr std::size_t few_rows = 4;  // for which packing a matrix takes longer than it saves

class FewRowsAttention {
 public:
  FewRowsAttention(const fused::attention& op, const std::optional<GrowingRows>& growing)
      : a_(op), terms_(a_, growing) {
    constexpr double exponential = 4;  // operations
    const double each = static_cast<double>(a_.rows * a_.terms);
    tiles_ = partition(
        a_.batches,
        each * (static_cast<double>(a_.inner + a_.columns) / macs_per_operation + exponential));
    zeros_ = CacheAligned<float>(padded_columns(static_cast<int>(std::max(a_.terms, a_.columns))));
  }

  /// Whether it computes what the operator says, with what the keys and values lie like.
  bool fits() const {
    if (a_.rows > few_rows || a_.options.keyScaling != Scaling::none) return false;
    if (a_.key_inner != 1 && a_.key_term != 1) return false;
    return scratch() <= max_scratch && terms_.fits(a_);
  }

  Candidate kernel() const {
    return {
        .name = terms_.is_growing() ? "attention of few rows, growing" : "attention of few rows",
        .tiles = tiles_.tiles(),
        .scratch = scratch(),
        .run = [self = std::make_shared<const FewRowsAttention>(*this)](Range r, const Buffers& b,
                                                                        std::byte* scratch) {
          self->run(r, b, reinterpret_cast<float*>(scratch));
        }};
  }

 private:
  std::size_t scratch() const {
    return (scores_floats() + query_floats() + terms_.scratch_floats()) * sizeof(float);
  }
  std::size_t scores_floats() const { return round_up(a_.rows * a_.terms, 16); }
  std::size_t query_floats() const {
    return a_.options.queryScaling == Scaling::none ? 0 : round_up(a_.rows * a_.inner, 16);
  }

  void run(Range r, const Buffers& b, float* scratch) const {
    float *scaled = scratch + scores_floats(), *matrix = scaled + query_floats();
    const std::size_t terms = terms_.of(b), mask_row = terms_.mask_row(a_, terms);
    for (std::size_t i = tiles_.begin(r); i < tiles_.end(r); ++i) {
      const float* queries = a_.scaled_queries(b, i, 0, a_.rows, scaled);
      UnpackedGemm g{.rows = static_cast<int>(a_.rows),
                     .columns = static_cast<int>(terms),
                     .k = a_.inner,
                     .x_row = a_.inner,
                     .w_k = a_.key_inner,
                     .w_column = a_.key_term,
                     .bias = zeros_.data()};
      multiply(g, queries, terms_.floats(b, 1, a_.keys[i], terms * a_.inner, matrix), scratch);
      a_.mask_scores(b, i, 0, a_.rows, scratch, terms, mask_row);
      softmax_rows(scratch, a_.rows, terms, scratch);
      g.columns = static_cast<int>(a_.columns);
      g.k = g.x_row = terms;
      g.w_k = a_.columns;
      g.w_column = 1;
      float* y = b.out<float>() + i * a_.rows * a_.columns;
      multiply(g, scratch, terms_.floats(b, 2, a_.values[i], terms * a_.columns, matrix), y);
      a_.clear_rows(b, i, 0, a_.rows, y);
    }
  }
  static void multiply(const UnpackedGemm& g, const float* x, const float* w, float* y) {
    unpacked_gemm(g, 0, vector_columns(g.columns), x, w, y, nullptr);
  }

  AttentionRows a_;
  AttentionTerms terms_;
  Partition tiles_{};
  CacheAligned<float> zeros_{};
};

std::optional<Candidate> made(const fused::attention& op, const std::optional<GrowingRows>& rows) {
  const auto shapes = shapes_of(op);
  if (!shapes || shapes->scores.end()[-2] > few_rows) return std::nullopt;
  const FewRowsAttention kernel(op, rows);
  return kernel.fits() ? std::optional(kernel.kernel()) : std::nullopt;
}

}  // namespace

std::optional<Candidate> few_rows_attention(const fused::attention& op) {
  return made(op, std::nullopt);
}
std::optional<Candidate> few_rows_attention(const fused::attention& op, const GrowingRows& rows) {
  return made(op, rows);
}

}  // namespace webnn::inline v0_1::simd
