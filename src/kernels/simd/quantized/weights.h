// Weights of 8 bits and less in the layout of the vector kernels.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "src/kernels/common/packed_array.h"
#include "src/kernels/common/quantized.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/vector/int8/fixed_point.h"

namespace webnn::inline v0_1::simd {

/// What is known of a column: the part of the sum that does not depend on x, the zero point of the
/// weights (0, unless the distance of a weight from it does not fit a signed byte), and the scale
/// to units of the result, with what is added to it in these units: for Requantization::floats. For
/// fixedPoint, which adds nothing, the scale is `fixed`.
struct Int8Column {
  std::int32_t bias = 0, zero = 0;
  FixedPoint fixed{};
  float scale = 0, offset = 0;
};

/// Where a block has what is known of n columns, in vectors of int8_lanes(), in the order of a
/// kernel.
class ColumnArrays {
 public:
  explicit ColumnArrays(std::size_t n = 0, Requantization requantization = {})
      : n_(round_up(n, std::size_t{16})), is_fixed_(requantization == Requantization::fixedPoint) {}
  std::size_t bytes() const { return n_ * (is_fixed_ ? 28 : 16); }
  void set(std::byte* to, std::size_t column, const Int8Column& c) const;
  /// From the first column of a vector on.
  const std::int32_t* bias(const std::byte* from, std::size_t column = 0) const {
    return reinterpret_cast<const std::int32_t*>(from) + column;
  }
  const std::int32_t* zero(const std::byte* from, std::size_t column = 0) const {
    return bias(from, n_ + column);
  }
  Factors scale(const std::byte* from, std::size_t column = 0) const {
    if (!is_fixed_) {
      const auto* floats = reinterpret_cast<const float*>(from + 8 * n_) + column;
      return {.scales = floats, .offsets = floats + n_};
    }
    const auto* wide = reinterpret_cast<const std::int64_t*>(from + 12 * n_) + column;
    return {.multipliers = bias(from, 2 * n_ + column), .addends = wide, .shifts = wide + n_};
  }

 private:
  std::size_t n_;  // of 4 bytes: bias, zero point, scale, offset
  bool is_fixed_;  // of 4 bytes: bias, zero point, multiplier; of 8 bytes: addend, shift
};

/// Signed weights and their columns.
struct Int8Values {
  std::vector<Int8Column> of_column{};
  std::vector<std::int8_t> w{};  ///< [columns][k]
};

/// The form of signed weights, and what works out their values when they are packed.
struct Int8Weights {
  std::size_t columns = 0, k = 0;
  bool asymmetric = false;  ///< there are zero points
  int slot = 0;             ///< of Buffers::inputs: the integers
  Requantization requantization{};
  std::string text{};  ///< for WeightBlock::layout: all that the values depend on
  std::function<Int8Values()> values{};
};

/// A constant of integers, and what reads them as [columns][k].
struct Int8Source {
  const QuantizedOperand& operand;
  std::string order;  ///< for WeightBlock::layout: what `read` depends on besides the constant
  std::function<std::vector<std::int32_t>()> read;
};
/// Takes one scale and zero point for all or for each column. Refuses what could overflow, and for
/// Requantization::fixedPoint a bias that is not near a multiple of the scales. The integers are
/// read only where their type does not say enough.
std::variant<Int8Weights, Refusal> int8_weights(std::size_t columns, std::size_t k,
                                                const Int8Source& source, const QuantizedChain& c,
                                                const QuantizedOperand* bias);

/// From the constant's layout to [out][height][width][in / groups].
std::vector<std::int32_t> filter_integers(const QuantizedOperand& filter,
                                          MLConv2dFilterOperandLayout layout);

}  // namespace webnn::inline v0_1::simd
