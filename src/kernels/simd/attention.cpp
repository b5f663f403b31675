// Attention, some rows at a time: their scores stay in L2, and are never stored.
#include <cmath>
#include <limits>

#include "src/kernels/common/partition.h"
#include "src/kernels/simd/attention_rows.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/few_rows_attention.h"
#include "src/kernels/simd/product/product.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

using fused::Scaling;

class AttentionKernel {
 public:
  explicit AttentionKernel(const fused::attention& op) : a_(op) {
    constexpr std::size_t floats = 32 << 10;  // of scores: a part of L2
    constexpr std::size_t least = 2;          // units, for which the packed matrices are read
    const std::size_t unit = to_size(rows_at_once());
    block_ = std::min(a_.rows, std::max(floats / a_.terms / unit, least) * unit);
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

  std::size_t scratch() const {
    const std::size_t queries = a_.options.queryScaling == Scaling::none ? 0 : block_ * a_.inner;
    return (packed_floats() + block_ * a_.terms + queries) * sizeof(float);
  }

  Candidate kernel() const {
    return {.name = "attention",
            .tiles = tiles_.tiles(),
            .grain = static_cast<int>(divide_up(blocks_, tiles_.each)),
            .scratch = scratch(),
            .run = [self = std::make_shared<const AttentionKernel>(*this)](
                       Range r, const Buffers& b, std::byte* scratch) {
              self->run(r, b, reinterpret_cast<float*>(scratch));
            }};
  }

 private:
  /// Floats of the keys and values of one matrix, packed.
  std::size_t packed_floats() const {
    return a_.inner * padded(a_.terms) + a_.terms * padded(a_.columns);
  }
  static std::size_t padded(std::size_t columns) {
    return padded_columns(static_cast<int>(columns));
  }

  void run(Range r, const Buffers& b, float* scratch) const {
    float *keys = scratch, *values = keys + a_.inner * padded(a_.terms),
          *scores = scratch + packed_floats(), *scaled = scores + block_ * a_.terms;
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t packed_keys = none, packed_values = none;  // the matrices that are there
    float largest_key = 0, largest_value = 0;
    for (std::size_t i = tiles_.begin(r); i < tiles_.end(r); ++i) {
      const std::size_t batch = i / blocks_, first = i % blocks_ * block_;
      const std::size_t rows = std::min(block_, a_.rows - first);
      if (const std::size_t at = a_.keys[batch]; at != packed_keys) {
        pack_keys(b.in<float>(1) + at, keys);
        if (may_skip()) largest_key = largest(keys, a_.inner * padded(a_.terms));
        packed_keys = at;
      }
      if (const std::size_t at = a_.values[batch]; at != packed_values) {
        pack_columns({b.in<float>(2) + at, a_.terms, static_cast<int>(a_.columns), a_.columns, 1},
                     values);
        if (may_skip()) largest_value = largest(values, a_.terms * padded(a_.columns));
        packed_values = at;
      }
      const float* queries = a_.scaled_queries(b, batch, first, rows, scaled);
      std::size_t terms = a_.terms;
      if (may_skip() && std::isfinite(largest_value))
        terms = seen_terms(b, batch, first, rows, largest_key * largest(queries, rows * a_.inner));
      multiply(queries, rows, a_.inner, keys, terms, a_.inner, scores);
      a_.mask_scores(b, batch, first, rows, scores, terms, a_.mask.row);
      softmax_rows(scores, rows, terms, scores);
      float* y = b.out<float>() + (batch * a_.rows + first) * a_.columns;
      multiply(scores, rows, terms, values, a_.columns, a_.terms, y);
      a_.clear_rows(b, batch, first, rows, y);
    }
  }

  /// Whether a mask of rows of terms is added to the scores, and nothing replaces them.
  bool may_skip() const {
    return a_.mask.slot >= 0 && a_.mask.step == 1 && a_.mask.row >= a_.terms &&
           a_.condition.slot < 0 && a_.shapes.masked == a_.shapes.scores;
  }
  /// The largest magnitude; not finite if one of n floats is not.
  static float largest(const float* x, std::size_t n) {
    float most = 0, least = 0;
    reduce_rows(Reduction::max, x, 1, n, &most);
    reduce_rows(Reduction::min, x, 1, n, &least);
    return std::max(most, -least) + (most - most) + (least - least);
  }
  /// The terms of some rows before those that the mask hides from all of them: their weights are
  /// exactly 0 whatever the keys and queries are, whose products are at most so large.
  std::size_t seen_terms(const Buffers& b, std::size_t batch, std::size_t first, std::size_t rows,
                         float product) const {
    constexpr std::size_t unit = 64;  // that rounds like all terms, in vectors
    constexpr float hidden = -1e9f, underflow = 1000, slack = 1.01f;
    const float scale = a_.score_scale.divides ? 1 / a_.score_scale.factor : a_.score_scale.factor;
    const float score = static_cast<float>(a_.inner) * product * std::abs(scale);
    const float enough = slack * (2 * score + underflow) + hidden;
    if (!(enough < -hidden)) return a_.terms;
    const float* mask = b.in<float>(to_size(a_.mask.slot)) + a_.mask.places[batch];
    const auto row = [&](std::size_t r) { return mask + (first + r) * a_.mask.row; };
    std::size_t seen = a_.terms;
    while (seen > 0 && row(rows - 1)[seen - 1] <= hidden) --seen;
    seen = std::min(round_up(std::max<std::size_t>(seen, 1), unit), a_.terms);
    if (seen == a_.terms) return seen;
    for (std::size_t r = 0; r < rows; ++r) {
      float most_seen = 0, most_hidden = 0;
      reduce_rows(Reduction::max, row(r), 1, seen, &most_seen);
      reduce_rows(Reduction::max, row(r) + seen, 1, a_.terms - seen, &most_hidden);
      if (!(most_hidden <= hidden) || !(most_seen >= enough)) return a_.terms;
    }
    return seen;
  }
  void pack_keys(const float* from, float* to) const {
    pack_columns({from, a_.inner, static_cast<int>(a_.terms), a_.key_inner, a_.key_term}, to);
    if (a_.options.keyScaling != Scaling::none)
      scale_and_mask_rows(a_.key_scale, to, 1, a_.inner * padded(a_.terms));
  }
  /// w has `packed` terms of each column.
  void multiply(const float* x, std::size_t rows, std::size_t k, const float* w,
                std::size_t columns, std::size_t packed, float* y) const {
    const Gemm g{.w = w,
                 .bias = zeros_.data(),
                 .column_size = packed * to_size(lanes()),
                 .k = k,
                 .x_stride = k,
                 .y_stride = columns,
                 .columns = static_cast<int>(columns)};
    gemm(g, static_cast<int>(rows), 0, vector_columns(g.columns), x, y, nullptr);
  }

  AttentionRows a_;
  std::size_t block_ = 1, blocks_ = 1;
  Partition tiles_{};
  CacheAligned<float> zeros_{};
};

}  // namespace

Lowering lower(const fused::attention& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing can follow in one kernel"};
  const auto shapes = shapes_of(op);
  if (!shapes) return Refusal{"the operands do not fit"};
  if (auto kernel = few_rows_attention(op)) return std::move(*kernel);
  const AttentionKernel kernel(op);
  if (kernel.scratch() > max_scratch) return Refusal{"attention over too many terms"};
  return kernel.kernel();
}

}  // namespace webnn::inline v0_1::simd
