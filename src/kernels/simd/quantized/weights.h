// Weights of 8 bits and less in the layout of the vector kernels.
#pragma once

#include <functional>
#include <variant>

#include "src/kernels/common/cache_aligned.h"
#include "src/kernels/common/quantized.h"
#include "src/kernels/common/shared_array.h"
#include "src/kernels/simd/vector/int8/fixed_point.h"

namespace webnn::inline v0_1::simd {

/// Factors in the order of a kernel's columns, in vectors of int8_lanes().
class FactorArrays {
 public:
  explicit FactorArrays(std::size_t n = 0) : multipliers_(n), addends_(n), shifts_(n, 31) {}
  void set(std::size_t column, FixedPoint f);
  /// Of the columns from the first of a vector on.
  Factors from(std::size_t column = 0) const {
    return {multipliers_.data() + column, addends_.data() + column, shifts_.data() + column};
  }
  std::size_t bytes() const { return multipliers_.size() * 20; }

 private:
  CacheAligned<std::int32_t> multipliers_;
  CacheAligned<std::int64_t> addends_, shifts_;
};

/// What is known of a column: the part of the sum that does not depend on x, the zero point of the
/// weights (0, unless the distance of a weight from it does not fit a signed byte), and the scale
/// to units of the result.
struct Int8Column {
  std::int32_t bias = 0, zero = 0;
  FixedPoint scale{};
};

/// Signed weights.
struct Int8Weights {
  std::size_t columns = 0, k = 0;
  SharedArray<Int8Column> of_column{};
  CacheAligned<std::int8_t> w{};  ///< [columns][k]; empty where they are given in packed arrays

  bool asymmetric() const;
};

/// Integers [columns][k], which are read unless the columns are given.
using Integers = std::function<std::vector<std::int32_t>()>;
/// Of one scale and zero point for all or for each column. Refuses what could overflow, and a bias
/// that is not near a multiple of the scales.
std::variant<Int8Weights, Refusal> int8_weights(
    std::size_t columns, std::size_t k, const Integers& integers, const QuantizationParams& w,
    const QuantizationParams& x, const QuantizedOperand* bias, const QuantizationParams& result);

/// From the constant's layout to [out][height][width][in / groups].
std::vector<std::int32_t> filter_integers(const QuantizedOperand& filter,
                                          MLConv2dFilterOperandLayout layout);

}  // namespace webnn::inline v0_1::simd
