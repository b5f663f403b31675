#include "src/kernels/simd/attention_products.h"

#include <algorithm>

#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/vector/float32/rows.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

using fused::Scaling;

std::size_t padded(std::size_t columns) { return padded_columns(static_cast<int>(columns)); }

/// Whether operands are converted for enough work, and keys lie so that they can be packed: the
/// same for any number of terms, as states grow.
bool suits_bfloat16(const AttentionRows& a) {
  constexpr std::size_t few_terms = 16;
  return a.inner >= few_terms && a.columns >= to_size(lanes()) &&
         (a.key_inner == 1 || a.key_term == 1);
}

float factor_of(const AttentionRows& a) {
  if (a.options.keyScaling == Scaling::none) return 1;
  return a.key_scale.divides ? 1 / a.key_scale.factor : a.key_scale.factor;
}

/// The number of groups that have the first columns.
int groups_of(const PanelLayout& p, std::size_t columns) {
  int n = 0;
  while (n < p.groups && to_size(p.first_column(n)) < columns) ++n;
  return n;
}

std::uint32_t* as_pairs(float* p) { return reinterpret_cast<std::uint32_t*>(p); }

}  // namespace

AttentionProducts::AttentionProducts(const AttentionRows& a, Bfloat16Products how,
                                     std::size_t block, bool prefixes)
    : a_(a),
      how_(how != Bfloat16Products::none && suits_bfloat16(a) ? how : Bfloat16Products::none),
      block_(block),
      prefixes_(prefixes),
      zeros_(std::max(padded(a.terms), padded(a.columns))) {}

PanelLayout AttentionProducts::keys_layout(std::size_t terms) const {
  return pair_layout(how_, a_.inner, static_cast<int>(terms));
}
PanelLayout AttentionProducts::values_layout(std::size_t terms) const {
  PanelLayout p = pair_layout(how_, terms, static_cast<int>(a_.columns));
  constexpr std::size_t unit = 32;  // pairs: terms are left out from a block on
  if (prefixes_) p.block = unit;
  return p;
}

std::size_t AttentionProducts::key_floats() const {
  return in_bfloat16() ? keys_layout(a_.terms).size() : a_.inner * padded(a_.terms);
}
std::size_t AttentionProducts::value_floats() const {
  return in_bfloat16() ? values_layout(a_.terms).size() : a_.terms * padded(a_.columns);
}
std::size_t AttentionProducts::scratch_floats() const {
  const std::size_t packed = key_floats() + value_floats();
  if (!in_bfloat16()) return packed;
  const std::size_t bytes = std::max(pair_scratch(keys_layout(a_.terms), block_, false),
                                     pair_scratch(values_layout(a_.terms), block_, false));
  return round_up(packed + divide_up(bytes, sizeof(float)), 16);
}

void AttentionProducts::pack_keys(const float* keys, std::size_t terms, float* scratch) const {
  if (in_bfloat16()) {
    const PanelLayout p = keys_layout(terms);
    for (std::size_t b = 0; b < p.blocks(); ++b)
      pack_pairs(how_, {keys, a_.inner, a_.key_inner, a_.key_term, factor_of(a_)}, p, b, 0,
                 p.groups, as_pairs(scratch));
    return;
  }
  pack_columns({keys, a_.inner, static_cast<int>(terms), a_.key_inner, a_.key_term}, scratch);
  if (a_.options.keyScaling != Scaling::none)
    scale_and_mask_rows(a_.key_scale, scratch, 1, a_.inner * padded(terms));
}

void AttentionProducts::pack_values(const float* values, std::size_t terms, float* scratch) const {
  float* const to = scratch + key_floats();
  if (!in_bfloat16())
    return pack_columns({values, terms, static_cast<int>(a_.columns), a_.columns, 1}, to);
  const PanelLayout p = values_layout(terms);
  for (std::size_t b = 0; b < p.blocks(); ++b)
    pack_pairs(how_, {values, terms, a_.columns, 1}, p, b, 0, p.groups, as_pairs(to));
}

float AttentionProducts::largest(const float* x, std::size_t n) {
  float most = 0, least = 0;
  reduce_rows(Reduction::max, x, 1, n, &most);
  reduce_rows(Reduction::min, x, 1, n, &least);
  return std::max(most, -least) + (most - most) + (least - least);
}

float AttentionProducts::largest_key(const float* keys, std::size_t terms,
                                     const float* scratch) const {
  if (!in_bfloat16()) return largest(scratch, a_.inner * padded(terms));
  const bool in_rows = a_.key_inner == 1;
  const std::size_t rows = in_rows ? terms : a_.inner, n = in_rows ? a_.inner : terms,
                    stride = in_rows ? a_.key_term : a_.key_inner;
  float all = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const float here = largest(keys + r * stride, n);
    all = here > all || here != here ? here : all;
    if (all != all) break;
  }
  return all * std::abs(factor_of(a_));
}

float AttentionProducts::largest_value(const float* values, std::size_t terms) const {
  return largest(values, terms * a_.columns);
}

void AttentionProducts::multiply_keys(const float* queries, std::size_t rows, std::size_t terms,
                                      std::size_t seen, float* scratch, float* scores) const {
  if (!in_bfloat16()) return multiply(queries, rows, a_.inner, scratch, seen, a_.inner, scores);
  PairProduct g{.products = how_,
                .w = as_pairs(scratch),
                .bias = zeros_.data(),
                .layout = keys_layout(terms),
                .y_stride = seen};
  const int groups = groups_of(g.layout, seen);
  g.layout.columns = static_cast<int>(seen);
  multiply_pairs(g, a_.inner, {queries, a_.inner}, 0, rows, 0, groups, scores, nullptr,
                 reinterpret_cast<std::byte*>(scratch + key_floats() + value_floats()));
}

void AttentionProducts::multiply_values(const float* scores, std::size_t rows, std::size_t terms,
                                        std::size_t seen, float* scratch, float* y) const {
  float* const values = scratch + key_floats();
  if (!in_bfloat16()) return multiply(scores, rows, seen, values, a_.columns, terms, y);
  PairProduct g{.products = how_,
                .w = as_pairs(values),
                .bias = zeros_.data(),
                .layout = values_layout(terms),
                .y_stride = a_.columns};
  if (seen < terms) g.layout.k = pairs_of(seen);  // whole blocks, which lie as before
  multiply_pairs(g, seen, {scores, seen}, 0, rows, 0, g.layout.groups, y, nullptr,
                 reinterpret_cast<std::byte*>(values + value_floats()));
}

/// w has `packed` terms of each column.
void AttentionProducts::multiply(const float* x, std::size_t rows, std::size_t k, const float* w,
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

}  // namespace webnn::inline v0_1::simd
