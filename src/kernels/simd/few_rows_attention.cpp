#include "src/kernels/simd/few_rows_attention.h"

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/attention_rows.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/product/product.h"
#include "src/kernels/simd/vector/float32/elementwise.h"
#include "src/kernels/simd/vector/float32/unpacked_gemm.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

using fused::Scaling;

constexpr std::size_t few_rows = 4;  // for which packing a matrix takes longer than it saves

class FewRowsAttention {
 public:
  FewRowsAttention(const fused::attention& op, const std::optional<GrowingRows>& growing)
      : a_(op), growing_(growing) {
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
    if (scratch() > max_scratch) return false;
    if (!growing_) return true;
    if (growing_->float16 && (a_.key_inner != 1 || a_.key_term != a_.inner)) return false;
    if (growing_->spread_masks) return true;
    // A mask of the run has rows of its terms, and is the same for all matrices.
    const bool is_whole = a_.mask.slot >= 0 && a_.mask.step != 0;
    return a_.condition.step == 0 && a_.shapes.masked == a_.shapes.scores &&
           (!is_whole ||
            element_count(a_.options.mask->shape()) == a_.terms * (a_.mask.row ? a_.rows : 1));
  }

  Candidate kernel() const {
    return {.name = growing_ ? "attention of few rows, growing" : "attention of few rows",
            .tiles = tiles_.tiles(),
            .scratch = scratch(),
            .run = [self = std::make_shared<const FewRowsAttention>(*this)](
                       Range r, const Buffers& b, std::byte* scratch) {
              self->run(r, b, reinterpret_cast<float*>(scratch));
            }};
  }

 private:
  std::size_t scratch() const {
    return (scores_floats() + query_floats() + matrix_floats() + convert_floats()) * sizeof(float);
  }
  bool converts() const { return growing_ && growing_->float16; }
  std::size_t scores_floats() const { return round_up(a_.rows * a_.terms, 16); }
  std::size_t query_floats() const {
    return a_.options.queryScaling == Scaling::none ? 0 : round_up(a_.rows * a_.inner, 16);
  }
  /// Floats of a matrix of keys or values that was float16.
  std::size_t matrix_floats() const {
    return converts() ? round_up(a_.terms * std::max(a_.inner, a_.columns), 16) : 0;
  }
  std::size_t convert_floats() const { return converts() ? Elementwise().scratch_floats : 0; }

  void run(Range r, const Buffers& b, float* scratch) const {
    float *scaled = scratch + scores_floats(), *matrix = scaled + query_floats();
    const std::size_t terms = growing_ ? growing_->rows(b) : a_.terms;
    const std::size_t mask_row =
        growing_ && !growing_->spread_masks && a_.mask.step != 0 && a_.mask.row != 0 ? terms
                                                                                     : a_.mask.row;
    for (std::size_t i = tiles_.begin(r); i < tiles_.end(r); ++i) {
      const float* queries = a_.scaled_queries(b, i, 0, a_.rows, scaled);
      UnpackedGemm g{.rows = static_cast<int>(a_.rows),
                     .columns = static_cast<int>(terms),
                     .k = a_.inner,
                     .x_row = a_.inner,
                     .w_k = a_.key_inner,
                     .w_column = a_.key_term,
                     .bias = zeros_.data()};
      multiply(g, queries, matrix_at(b, 1, a_.keys[i], terms * a_.inner, matrix), scratch);
      a_.mask_scores(b, i, 0, a_.rows, scratch, terms, mask_row);
      softmax_rows(scratch, a_.rows, terms, scratch);
      g.columns = static_cast<int>(a_.columns);
      g.k = g.x_row = terms;
      g.w_k = a_.columns;
      g.w_column = 1;
      float* y = b.out<float>() + i * a_.rows * a_.columns;
      multiply(g, scratch, matrix_at(b, 2, a_.values[i], terms * a_.columns, matrix), y);
      a_.clear_rows(b, i, 0, a_.rows, y);
    }
  }
  static void multiply(const UnpackedGemm& g, const float* x, const float* w, float* y) {
    unpacked_gemm(g, 0, vector_columns(g.columns), x, w, y, nullptr);
  }
  /// A matrix of keys or values as floats.
  const float* matrix_at(const Buffers& b, std::size_t slot, std::size_t at, std::size_t n,
                         float* to) const {
    if (!converts()) return b.in<float>(slot) + at;
    constexpr std::size_t bytes = 2;
    const std::byte* from = b.inputs[slot] + at * bytes;
    std::byte* out = reinterpret_cast<std::byte*>(to);
    Elementwise e;
    e.head.type = float16;
    run_elementwise(e, 0, n, {.inputs = {&from, 1}, .outputs = {&out, 1}}, to + matrix_floats());
    return to;
  }

  AttentionRows a_;
  std::optional<GrowingRows> growing_;
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
