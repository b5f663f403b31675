// Weights of 8 bits and less in the layout of the vector kernels.
#pragma once

#include <variant>

#include "src/kernels/common/cache_aligned.h"
#include "src/kernels/common/quantized.h"
#include "src/kernels/simd/vector/int8/fixed_point.h"

namespace webnn::simd {

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

/// Signed weights, and for each column the part of the sum that does not depend on x, the scale to
/// units of the result, and the zero point of the weights: 0, unless the distance of a weight from
/// it does not fit a signed byte.
struct Int8Weights {
  std::size_t columns = 0, k = 0;
  CacheAligned<std::int8_t> w{};  ///< [columns][k]
  std::vector<std::int32_t> bias{}, zero{};
  std::vector<FixedPoint> scale{};

  bool asymmetric() const;
  std::size_t bytes() const { return w.size() + columns * 16; }
};

/// Of integers [columns][k] with one scale and zero point for all or for each column. Refuses what
/// could overflow, and a bias that is not near a multiple of the scales.
std::variant<Int8Weights, Refusal> int8_weights(const std::vector<std::int32_t>& integers,
                                                std::size_t columns, const QuantizationParams& w,
                                                const QuantizationParams& x,
                                                const QuantizedOperand* bias,
                                                const QuantizationParams& result);

/// From the constant's layout to [out][height][width][in / groups].
std::vector<std::int32_t> filter_integers(const QuantizedOperand& filter,
                                          MLConv2dFilterOperandLayout layout);

}  // namespace webnn::simd
