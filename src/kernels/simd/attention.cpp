// Attention, some rows at a time: their scores stay in L2, and are never stored.
#include "src/kernels/common/attention.h"

#include "src/kernels/common/chain_operands.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/product/product.h"
#include "src/kernels/simd/vector/float32/rows.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

struct Slots {
  std::size_t queries, keys, values;
  int mask, left_out;  // -1: none
};

class AttentionKernel {
 public:
  AttentionKernel(const Attention& a, const Slots& slots) : slots_(slots) {
    const Dims& s = a.scores;
    const Dims batches(s.begin(), s.end() - 2);
    rows_ = s.end()[-2];
    terms_ = s.back();
    inner_ = a.queries.shape().back();
    columns_ = a.values.shape().back();
    keys_of_ = batches_of(batches, a.queries.shape(), a.keys.shape());
    values_of_ = batches_of(batches, s, a.values.shape());
    before_softmax_.factor = static_cast<float>(a.multiplied_by.value_or(a.divided_by.value_or(1)));
    before_softmax_.divides = a.divided_by.has_value();
    mask_rows_ = a.masked.end()[-2];
    if (a.mask) {
      const auto strides = broadcast_strides(a.mask.shape(), a.masked);
      const std::size_t rank = a.masked.size();
      values_of_.a = {};  // of the mask, in elements
      if (a.masked == s) values_of_.a = strides;
      before_softmax_.mask_row = static_cast<std::size_t>(strides[rank - 2]);
      before_softmax_.mask_step = static_cast<std::size_t>(strides[rank - 1]);
    }
    if (a.left_out) {
      const auto strides = broadcast_strides(a.left_out.shape(), s);
      left_out_of_ = keys_of_;
      left_out_of_.a = strides;  // in elements
      left_out_row_ = static_cast<std::size_t>(strides[s.size() - 2]);
    }
    constexpr std::size_t floats = 32 << 10;  // of scores: a part of L2
    const std::size_t unit = to_size(rows_at_once());
    block_ = std::min(rows_, std::max<std::size_t>(floats / terms_ / unit, 1) * unit);
    constexpr std::size_t enough = 8, min_units = 4;  // blocks; each packs keys and values
    while (keys_of_.count * divide_up(rows_, block_) < enough && block_ >= 2 * min_units * unit)
      block_ = round_up(divide_up(block_, 2), unit);
    blocks_ = divide_up(rows_, block_);
    constexpr double exponential = 4;  // operations
    const double each = static_cast<double>(block_ * terms_);
    tiles_ = partition(
        keys_of_.count * blocks_,
        each * (static_cast<double>(inner_ + columns_) / macs_per_operation + exponential));
    zeros_ = CacheAligned<float>(std::max(padded(terms_), padded(columns_)));
  }

  /// Floats of the keys and values of one matrix, packed.
  std::size_t packed_floats() const { return inner_ * padded(terms_) + terms_ * padded(columns_); }
  std::size_t rows() const { return rows_; }
  std::size_t terms() const { return terms_; }

  Candidate kernel() const {
    return {.name = "attention",
            .tiles = tiles_.tiles(),
            .grain = static_cast<int>(divide_up(blocks_, tiles_.each)),
            .scratch = (packed_floats() + block_ * terms_) * sizeof(float),
            .run = [self = std::make_shared<const AttentionKernel>(*this)](
                       Range r, const Buffers& b, std::byte* scratch) {
              self->run(r, b, reinterpret_cast<float*>(scratch));
            }};
  }

 private:
  static std::size_t padded(std::size_t columns) {
    return padded_columns(static_cast<int>(columns));
  }

  void run(Range r, const Buffers& b, float* scratch) const {
    float *keys = scratch, *values = keys + inner_ * padded(terms_),
          *scores = scratch + packed_floats();
    std::size_t packed = keys_of_.count;  // the matrix whose keys and values are there
    for (std::size_t i = tiles_.begin(r); i < tiles_.end(r); ++i) {
      const std::size_t batch = i / blocks_, first = i % blocks_ * block_;
      const std::size_t rows = std::min(block_, rows_ - first);
      const auto [queries_at, keys_at] = keys_of_[batch];
      const auto [mask_at, values_at] = values_of_[batch];
      if (batch != packed) {
        pack(b.in<float>(slots_.keys) + keys_at * inner_ * terms_, inner_, terms_, keys);
        pack(b.in<float>(slots_.values) + values_at * terms_ * columns_, terms_, columns_, values);
        packed = batch;
      }
      multiply(b.in<float>(slots_.queries) + (queries_at * rows_ + first) * inner_, rows, inner_,
               keys, terms_, scores);
      if (slots_.mask >= 0)
        add_mask(b.in<float>(to_size(slots_.mask)) + mask_at, batch * rows_ + first, rows, scores);
      else if (before_softmax_.factor != 1)
        scale_and_mask_rows(before_softmax_, scores, rows, terms_);
      softmax_rows(scores, rows, terms_, scores);
      float* y = b.out<float>() + (batch * rows_ + first) * columns_;
      multiply(scores, rows, terms_, values, columns_, y);
      if (slots_.left_out >= 0) clear_rows(b, batch, first, rows, y);
    }
  }
  void clear_rows(const Buffers& b, std::size_t batch, std::size_t first, std::size_t rows,
                  float* y) const {
    const auto* left_out = b.in<std::uint8_t>(to_size(slots_.left_out)) + left_out_of_[batch].a;
    for (std::size_t r = 0; r < rows; ++r)
      if (left_out[(first + r) * left_out_row_]) std::fill_n(y + r * columns_, columns_, 0.f);
  }
  /// To rows of the scores of which the first is `first`, counted over all batches.
  void add_mask(const float* mask, std::size_t first, std::size_t rows, float* scores) const {
    for (std::size_t r = 0; r < rows;) {
      const std::size_t row = (first + r) % mask_rows_, n = std::min(rows - r, mask_rows_ - row);
      ScoreTerms t = before_softmax_;
      t.mask = mask + row * t.mask_row;
      scale_and_mask_rows(t, scores + r * terms_, n, terms_);
      r += n;
    }
  }
  static void pack(const float* from, std::size_t k, std::size_t columns, float* to) {
    pack_columns({from, k, static_cast<int>(columns), columns, 1}, to);
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

  Slots slots_;
  std::size_t rows_, terms_, inner_, columns_, block_, blocks_, mask_rows_, left_out_row_ = 0;
  Batches keys_of_, values_of_, left_out_of_{};
  ScoreTerms before_softmax_{};
  Partition tiles_{};
  CacheAligned<float> zeros_{};
};

}  // namespace

Lowering lower_attention(const Attention& a, Chain chain) {
  constexpr std::size_t few_rows = 8, few_terms = 16;
  constexpr std::size_t max_floats = 256 << 10;  // packed keys and values, which are to stay in L2
  const Dims& s = a.scores;
  if (s.end()[-2] < few_rows || s.back() < few_terms) return Refusal{"attention of few rows"};
  const double floats = static_cast<double>(s.back()) *
                        (static_cast<double>(a.queries.shape().back()) + a.values.shape().back());
  if (floats > max_floats) return Refusal{"attention over too many terms"};
  const auto slot = [&](const MLOperand& x) {
    return x ? static_cast<int>(slot_of(chain, x)) : -1;
  };
  const AttentionKernel k(a, {.queries = slot_of(chain, a.queries),
                              .keys = slot_of(chain, a.keys),
                              .values = slot_of(chain, a.values),
                              .mask = slot(a.mask),
                              .left_out = slot(a.left_out)});
  return k.kernel();
}

}  // namespace webnn::inline v0_1::simd
