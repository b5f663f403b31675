// The range of a tensor, from which its scale and its zero point follow.
#pragma once

#include <span>
#include <vector>

#include "webnn/quantize.h"

namespace webnn::inline v0_1 {

/// The elements of a tensor in all samples: first their bounds, then, within these, their numbers.
class Distribution {
 public:
  static constexpr std::size_t bins = 2048;

  void add_to_bounds(std::span<const float> values);
  /// After all have been added to the bounds.
  void add_to_bins(std::span<const float> values);

  bool seen() const { return low_ <= high_; }
  /// Whether all elements are numbers that scales can be made for.
  bool is_finite() const { return finite_; }
  double low() const { return low_; }
  double high() const { return high_; }
  double largest() const { return std::max(-low_, high_); }
  std::span<const std::uint64_t> values() const { return values_; }  ///< between low and high
  std::span<const std::uint64_t> magnitudes() const { return magnitudes_; }

 private:
  double low_ = HUGE_VAL, high_ = -HUGE_VAL;
  bool finite_ = true;
  std::vector<std::uint64_t> values_{}, magnitudes_{};  // from low to high; from 0 to largest
};

struct ValueRange {
  double low = 0, high = 0;

  void include(const ValueRange& o) {
    low = std::min(low, o.low);
    high = std::max(high, o.high);
  }
};

ValueRange range_of(const Distribution& d, const QuantizationOptions& options);

/// Real value = scale * (integer - zero).
struct ScaleAndZero {
  MLOperandDataType type{};
  float scale = 1;
  std::int32_t zero = 0;

  bool operator==(const ScaleAndZero&) const = default;
};
/// Of a range that includes 0 where it is finite; of one without extent the scale is 1.
ScaleAndZero scale_of(const ValueRange& range, MLOperandDataType type, bool symmetric);

}  // namespace webnn::inline v0_1
