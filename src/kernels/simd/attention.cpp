// Attention, some rows at a time: their scores stay in L2, and are never stored.
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/attention_rows.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/few_rows_attention.h"
#include "src/kernels/simd/growing_attention.h"
#include "src/kernels/simd/product/product.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

using fused::Scaling;

class AttentionKernel {
 public:
  AttentionKernel(const fused::attention& op, const std::optional<GrowingRows>& growing)
      : a_(op), terms_(a_, growing) {
    constexpr std::size_t floats = 32 << 10;  // of scores: a part of L2
    const std::size_t unit = to_size(rows_at_once());
    block_ = std::min(a_.rows, std::max<std::size_t>(floats / a_.terms / unit, 1) * unit);
    constexpr std::size_t enough = 8, min_units = 4;  // blocks; each packs keys and values
    while (a_.batches * divide_up(a_.rows, block_) < enough && block_ >= 2 * min_units * unit)
      block_ = round_up(divide_up(block_, 2), unit);
    blocks_ = divide_up(a_.rows, block_);
    constexpr double exponential = 4;  // operations
    const double each = static_cast<double>(block_ * a_.terms);
    tiles_ = partition(
        a_.batches * blocks_,
        each * (static_cast<double>(a_.inner + a_.columns) / macs_per_operation + exponential));
    zeros_ = CacheAligned<float>(std::max(padded(a_.terms), padded(a_.columns)));
  }

  bool fits() const { return scratch() <= max_scratch && terms_.fits(a_); }

  Candidate kernel() const {
    return {.name = terms_.is_growing() ? "attention, growing" : "attention",
            .tiles = tiles_.tiles(),
            .grain = static_cast<int>(divide_up(blocks_, tiles_.each)),
            .scratch = scratch(),
            .run = [self = std::make_shared<const AttentionKernel>(*this)](
                       Range r, const Buffers& b, std::byte* scratch) {
              self->run(r, b, reinterpret_cast<float*>(scratch));
            }};
  }

 private:
  std::size_t query_floats() const {
    return a_.options.queryScaling == Scaling::none ? 0 : round_up(block_ * a_.inner, 16);
  }
  std::size_t score_floats() const { return round_up(block_ * a_.terms, 16); }
  std::size_t scratch() const {
    return (packed_floats() + score_floats() + query_floats() + terms_.scratch_floats()) *
           sizeof(float);
  }
  /// Floats of the keys and values of one matrix, packed.
  std::size_t packed_floats() const {
    return a_.inner * padded(a_.terms) + a_.terms * padded(a_.columns);
  }
  static std::size_t padded(std::size_t columns) {
    return padded_columns(static_cast<int>(columns));
  }

  void run(Range r, const Buffers& b, float* scratch) const {
    float *keys = scratch, *values = keys + a_.inner * padded(a_.terms),
          *scores = scratch + packed_floats(), *scaled = scores + score_floats(),
          *matrix = scaled + query_floats();
    const std::size_t terms = terms_.of(b), mask_row = terms_.mask_row(a_, terms);
    bool packed = false;
    std::size_t packed_keys = 0, packed_values = 0;  // the matrices that are there
    for (std::size_t i = tiles_.begin(r); i < tiles_.end(r); ++i) {
      const std::size_t batch = i / blocks_, first = i % blocks_ * block_;
      const std::size_t rows = std::min(block_, a_.rows - first);
      const std::size_t keys_at = a_.keys[batch], values_at = a_.values[batch];
      if (!packed || packed_keys != keys_at)
        pack_keys(terms_.floats(b, 1, keys_at, terms * a_.inner, matrix), terms, keys);
      if (!packed || packed_values != values_at)
        pack_columns({terms_.floats(b, 2, values_at, terms * a_.columns, matrix), terms,
                      static_cast<int>(a_.columns), a_.columns, 1},
                     values);
      packed = true;
      packed_keys = keys_at;
      packed_values = values_at;
      const float* queries = a_.scaled_queries(b, batch, first, rows, scaled);
      multiply(queries, rows, a_.inner, keys, terms, scores);
      a_.mask_scores(b, batch, first, rows, scores, terms, mask_row);
      softmax_rows(scores, rows, terms, scores);
      float* y = b.out<float>() + (batch * a_.rows + first) * a_.columns;
      multiply(scores, rows, terms, values, a_.columns, y);
      a_.clear_rows(b, batch, first, rows, y);
    }
  }
  void pack_keys(const float* from, std::size_t terms, float* to) const {
    pack_columns({from, a_.inner, static_cast<int>(terms), a_.key_inner, a_.key_term}, to);
    if (a_.options.keyScaling != Scaling::none)
      scale_and_mask_rows(a_.key_scale, to, 1, a_.inner * padded(terms));
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

  AttentionRows a_;
  AttentionTerms terms_;
  std::size_t block_ = 1, blocks_ = 1;
  Partition tiles_{};
  CacheAligned<float> zeros_{};
};

constexpr double max_floats = 256 << 10;  // packed keys and values, which are to stay in L2

double floats_of(const fused::attention& op, const fused::AttentionShapes& shapes) {
  return static_cast<double>(shapes.scores.back()) *
         (static_cast<double>(op.queries.shape().back()) + shapes.values.back());
}

}  // namespace

std::optional<Candidate> growing_attention(const fused::attention& op, const GrowingRows& rows) {
  if (auto kernel = few_rows_attention(op, rows)) return kernel;
  const auto shapes = shapes_of(op);
  // Beyond that, graphs of one length have other kernels, whose results have other bits.
  if (!shapes || floats_of(op, *shapes) > max_floats) return std::nullopt;
  const AttentionKernel kernel(op, rows);
  return kernel.fits() ? std::optional(kernel.kernel()) : std::nullopt;
}

Lowering lower(const fused::attention& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing can follow in one kernel"};
  const auto shapes = shapes_of(op);
  if (!shapes) return Refusal{"the operands do not fit"};
  if (auto kernel = few_rows_attention(op)) return std::move(*kernel);
  constexpr std::size_t min_rows = 5;
  if (shapes->scores.end()[-2] < min_rows) return Refusal{"attention of few rows"};
  if (floats_of(op, *shapes) > max_floats) return Refusal{"attention over too many terms"};
  const AttentionKernel kernel(op, std::nullopt);
  if (!kernel.fits()) return Refusal{"attention over too many terms"};
  return kernel.kernel();
}

}  // namespace webnn::inline v0_1::simd
