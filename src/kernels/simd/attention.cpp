// Attention, some rows at a time: their scores stay in L2, and are never stored.
#include <cmath>
#include <limits>

#include "src/graph/op.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/attention_products.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/few_rows_attention.h"
#include "src/kernels/simd/growing_attention.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

using fused::Scaling;

class AttentionKernel {
 public:
  AttentionKernel(const fused::attention& op, const std::optional<GrowingRows>& growing,
                  Bfloat16Products how)
      : a_(op), terms_(a_, growing) {
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
    products_.emplace(a_, how, block_, a_.mask.slot >= 0);
  }

  bool fits() const { return scratch() <= max_scratch && terms_.fits(a_); }

  Candidate kernel() const {
    return {.name = std::string(products_->in_bfloat16() ? "bfloat16 " : "") +
                    (terms_.is_growing() ? "attention, growing" : "attention"),
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
    return (products_->scratch_floats() + score_floats() + query_floats() +
            terms_.scratch_floats()) *
           sizeof(float);
  }

  void run(Range r, const Buffers& b, float* scratch) const {
    float *scores = scratch + products_->scratch_floats(), *scaled = scores + score_floats(),
          *matrix = scaled + query_floats();
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t packed_keys = none, packed_values = none;  // the matrices that are there
    float largest_key = 0, largest_value = 0;
    const std::size_t terms = terms_.of(b), mask_row = terms_.mask_row(a_, terms);
    const bool skips = may_skip(terms, mask_row);
    for (std::size_t i = tiles_.begin(r); i < tiles_.end(r); ++i) {
      const std::size_t batch = i / blocks_, first = i % blocks_ * block_;
      const std::size_t rows = std::min(block_, a_.rows - first);
      if (const std::size_t at = a_.keys[batch]; at != packed_keys) {
        const float* keys = terms_.floats(b, 1, at, terms, a_.inner, matrix);
        products_->pack_keys(keys, terms, scratch);
        if (skips) largest_key = products_->largest_key(keys, terms, scratch);
        packed_keys = at;
      }
      if (const std::size_t at = a_.values[batch]; at != packed_values) {
        const float* values = terms_.floats(b, 2, at, terms, a_.columns, matrix);
        products_->pack_values(values, terms, scratch);
        if (skips) largest_value = products_->largest_value(values, terms);
        packed_values = at;
      }
      const float* queries = a_.scaled_queries(b, batch, first, rows, scaled);
      std::size_t seen = terms;
      if (skips && std::isfinite(largest_value))
        seen = seen_terms({b, batch, first, rows, terms, mask_row},
                          largest_key * AttentionProducts::largest(queries, rows * a_.inner));
      products_->multiply_keys(queries, rows, terms, seen, scratch, scores);
      a_.mask_scores(b, batch, first, rows, scores, seen, mask_row);
      softmax_rows(scores, rows, seen, scores);
      float* y = b.out<float>() + (batch * a_.rows + first) * a_.columns;
      products_->multiply_values(scores, rows, terms, seen, scratch, y);
      a_.clear_rows(b, batch, first, rows, y);
    }
  }

  /// Whether a mask of rows of terms is added to the scores, and nothing replaces them.
  bool may_skip(std::size_t terms, std::size_t mask_row) const {
    return a_.mask.slot >= 0 && a_.mask.step == 1 && mask_row >= terms && a_.condition.slot < 0 &&
           a_.shapes.masked == a_.shapes.scores;
  }
  /// Some rows of a matrix in a run.
  struct Rows {
    const Buffers& b;
    std::size_t batch, first, count, terms, mask_row;
  };
  /// The terms of some rows before those that the mask hides from all of them: their weights are
  /// exactly 0 whatever the keys and queries are, whose products are at most so large.
  std::size_t seen_terms(const Rows& x, float product) const {
    constexpr std::size_t unit = 64;  // that rounds like all terms, in vectors
    constexpr float hidden = -1e9f, underflow = 1000, slack = 1.01f;
    const float scale = a_.score_scale.divides ? 1 / a_.score_scale.factor : a_.score_scale.factor;
    const float score = static_cast<float>(a_.inner) * product * std::abs(scale);
    const float enough = slack * (2 * score + underflow) + hidden;
    if (!(enough < -hidden)) return x.terms;
    const float* mask = x.b.in<float>(to_size(a_.mask.slot)) + a_.mask.places[x.batch];
    const auto row = [&](std::size_t r) { return mask + (x.first + r) * x.mask_row; };
    std::size_t seen = x.terms;
    while (seen > 0 && row(x.count - 1)[seen - 1] <= hidden) --seen;
    seen = std::min(round_up(std::max<std::size_t>(seen, 1), unit), x.terms);
    if (seen == x.terms) return seen;
    for (std::size_t r = 0; r < x.count; ++r) {
      float max_seen = 0, max_hidden = 0;
      reduce_rows(Reduction::max, row(r), 1, seen, &max_seen);
      reduce_rows(Reduction::max, row(r) + seen, 1, x.terms - seen, &max_hidden);
      if (!(max_hidden <= hidden) || !(max_seen >= enough)) return x.terms;
    }
    return seen;
  }
  AttentionRows a_;
  AttentionTerms terms_;
  std::size_t block_ = 1, blocks_ = 1;
  Partition tiles_{};
  std::optional<AttentionProducts> products_{};
};

/// With states of few terms the kernel of few rows runs, as for graphs of that length.
Candidate by_terms(Candidate few, Candidate many, const GrowingRows& rows, std::size_t count) {
  Candidate both = many;
  both.scratch = std::max(few.scratch, many.scratch);
  both.run = [few = std::move(few), many = std::move(many), rows, count](Range r, const Buffers& b,
                                                                         std::byte* scratch) {
    if (!are_few(count, rows.rows(b))) return many.run(r, b, scratch);
    // Both have the matrices in this order; the tiles of `many` are divided among those of `few`.
    const auto place = [&](int tile) {
      return static_cast<int>(std::int64_t{tile} * few.tiles / many.tiles);
    };
    const Range own{place(r.begin), place(r.end)};
    if (own.begin < own.end) few.run(own, b, scratch);
  };
  return both;
}

}  // namespace

std::optional<Candidate> growing_attention(const fused::attention& op, const GrowingRows& rows,
                                           const Options& options) {
  const auto shapes = shapes_of(op);
  if (!shapes) return std::nullopt;
  const std::size_t count = shapes->scores.end()[-2], terms = shapes->scores.back();
  auto few = few_rows_attention(op, rows);
  if (are_few(count, terms)) return few;
  const AttentionKernel kernel(op, rows, options.bfloat16);
  if (!kernel.fits()) return std::nullopt;
  if (!are_few(count, rows.fresh)) return kernel.kernel();
  if (!few) return std::nullopt;
  return by_terms(std::move(*few), kernel.kernel(), rows, count);
}

Lowering lower_attention(Chain chain, const Options& options) {
  const auto& op = *webnn::as<fused::attention>(chain.front());
  if (chain.size() > 1) return Refusal{"nothing is fused to this operator"};
  const auto shapes = shapes_of(op);
  if (!shapes) return Refusal{"the operands do not fit"};
  if (are_few(shapes->scores.end()[-2], shapes->scores.back()))
    if (auto kernel = few_rows_attention(op)) return std::move(*kernel);
  const AttentionKernel kernel(op, std::nullopt, options.bfloat16);
  if (!kernel.fits()) return Refusal{"attention over too many terms"};
  return kernel.kernel();
}

}  // namespace webnn::inline v0_1::simd
