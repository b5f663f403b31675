// Attention, some rows at a time: their scores stay in L2, and are never stored.
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

  Candidate kernel() const {
    const std::size_t queries = a_.options.queryScaling == Scaling::none ? 0 : block_ * a_.inner;
    return {.name = "attention",
            .tiles = tiles_.tiles(),
            .grain = static_cast<int>(divide_up(blocks_, tiles_.each)),
            .scratch = (packed_floats() + block_ * a_.terms + queries) * sizeof(float),
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
    bool packed = false;
    std::size_t packed_keys = 0, packed_values = 0;  // the matrices that are there
    for (std::size_t i = tiles_.begin(r); i < tiles_.end(r); ++i) {
      const std::size_t batch = i / blocks_, first = i % blocks_ * block_;
      const std::size_t rows = std::min(block_, a_.rows - first);
      const std::size_t keys_at = a_.keys[batch], values_at = a_.values[batch];
      if (!packed || packed_keys != keys_at) pack_keys(b.in<float>(1) + keys_at, keys);
      if (!packed || packed_values != values_at)
        pack_columns(
            {b.in<float>(2) + values_at, a_.terms, static_cast<int>(a_.columns), a_.columns, 1},
            values);
      packed = true;
      packed_keys = keys_at;
      packed_values = values_at;
      const float* queries = a_.scaled_queries(b, batch, first, rows, scaled);
      multiply(queries, rows, a_.inner, keys, a_.terms, scores);
      a_.mask_scores(b, batch, first, rows, scores);
      softmax_rows(scores, rows, a_.terms, scores);
      float* y = b.out<float>() + (batch * a_.rows + first) * a_.columns;
      multiply(scores, rows, a_.terms, values, a_.columns, y);
      a_.clear_rows(b, batch, first, rows, y);
    }
  }
  void pack_keys(const float* from, float* to) const {
    pack_columns({from, a_.inner, static_cast<int>(a_.terms), a_.key_inner, a_.key_term}, to);
    if (a_.options.keyScaling != Scaling::none)
      scale_and_mask_rows(a_.key_scale, to, 1, a_.inner * padded(a_.terms));
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
  std::size_t block_ = 1, blocks_ = 1;
  Partition tiles_{};
  CacheAligned<float> zeros_{};
};

}  // namespace

Lowering lower(const fused::attention& op, Chain chain) {
  constexpr std::size_t max_floats = 256 << 10;  // packed keys and values, which are to stay in L2
  if (chain.size() > 1) return Refusal{"nothing can follow in one kernel"};
  const auto shapes = shapes_of(op);
  if (!shapes) return Refusal{"the operands do not fit"};
  if (auto kernel = few_rows_attention(op)) return std::move(*kernel);
  const Dims& s = shapes->scores;
  const double floats = static_cast<double>(s.back()) *
                        (static_cast<double>(op.queries.shape().back()) + shapes->values.back());
  if (floats > max_floats) return Refusal{"attention over too many terms"};
  return AttentionKernel(op).kernel();
}

}  // namespace webnn::inline v0_1::simd
