// Where the elements of the matrices of a product lie among small weights.
#pragma once

#include "src/kernels/common/small_weights.h"

namespace webnn::inline v0_1::simd {

/// The index of an element among the weights, and that of its scale.
struct SmallElement {
  std::size_t weight = 0, scale = 0;
};
inline SmallElement operator+(const SmallElement& a, const SmallElement& b) {
  return {a.weight + b.weight, a.scale + b.scale};
}

/// A dimension of the weights.
struct SmallAxis {
  std::size_t size = 1, stride = 0;
  std::size_t block = 1;   ///< elements with the same scale
  std::size_t scales = 0;  ///< the stride between scales

  SmallElement operator[](std::size_t i) const { return {i * stride, i / block * scales}; }
};

/// Where the elements of a matrix lie. Those of a filter are counted block by block of the input
/// channels that have the same scale, so that it is the scale of many terms in a row.
struct SmallMatrix {
  SmallElement first{};
  std::array<SmallAxis, 4> k{};  ///< the terms of a sum: those along the last axis come first
  SmallAxis column{};

  SmallElement term(std::size_t i) const {
    SmallElement at = first;
    for (std::size_t d = k.size(); d-- > 0; i /= k[d].size) at = at + k[d][i % k[d].size];
    return at;
  }
  /// Terms of a sum that have the same scale, one after the other.
  std::size_t same_scale() const {
    std::size_t terms = 1;
    for (std::size_t d = k.size(); d-- > 0;) {
      terms *= k[d].block;
      if (k[d].block < k[d].size) break;
    }
    return terms;
  }
};

SmallMatrix matrix_of(const SmallWeights& w, const WeightAxes& axes);
/// Matrix i of those that the last two dimensions are; of a filter there is only one.
SmallMatrix matrix_at(const SmallWeights& w, SmallMatrix m, std::size_t i);

}  // namespace webnn::inline v0_1::simd
