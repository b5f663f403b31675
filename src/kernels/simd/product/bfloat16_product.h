// Products of operands that are rounded to bfloat16.
#pragma once

#include <optional>

#include "src/kernels/simd/product/product.h"

namespace webnn::inline v0_1::simd {

/// Whether that is likely faster than float32: not for a few rows of a matrix that would be packed
/// for them, nor for sums of a few terms, whose operands are converted for little work.
bool is_faster_in_bfloat16(const Product& product);

/// The kernel of such a product; none where float32 is likely as fast or it needs too much scratch.
std::optional<Candidate> bfloat16_product(const Product& product, const GatheredRows& rows = {});

/// A constant matrix in panels of pairs, and the bias for all of their columns. The matrices of a
/// batch follow one another.
struct PackedPairs {
  PackedArray<std::uint32_t> w{};
  PackedArray<float> bias{};
};
PackedPairs pack_pairs(std::vector<WeightBlock>& weights, const Product& p,
                       const PanelLayout& layout);

}  // namespace webnn::inline v0_1::simd
