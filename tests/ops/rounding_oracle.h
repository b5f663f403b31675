// Rounding to narrow floats by search in the list of their values, which no code of the library
// has a part in: what is halfway between two neighbors goes to the one with an even code.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "webnn/data_type.h"

namespace webnn::inline v0_1::test {

class RoundingOracle {
 public:
  explicit RoundingOracle(MLOperandDataType type) : type_(type) {
    if (type == float16) exponent_bits_ = 5, fraction_bits_ = 10;
    else if (type == bfloat16) exponent_bits_ = 8, fraction_bits_ = 7;
    else exponent_bits_ = 4, fraction_bits_ = 3;
    const std::uint32_t largest = type == float8e4m3
                                      ? (1u << (exponent_bits_ + fraction_bits_)) - 2
                                      : (((1u << exponent_bits_) - 1) << fraction_bits_) - 1;
    for (std::uint32_t code = 0; code <= largest; ++code) values_.push_back(magnitude(code));
    for (std::size_t i = 0; i + 1 < values_.size(); ++i)
      middles_.push_back((values_[i] + values_[i + 1]) / 2);
    // What the next number would be, were there one.
    const double unit = values_[largest] - values_[largest - 1];
    middles_.push_back(values_[largest] + unit / 2);
  }

  std::uint32_t sign_bit() const { return 1u << (exponent_bits_ + fraction_bits_); }
  std::uint32_t codes() const { return 2 * sign_bit(); }
  /// The number, infinity or NaN of a pattern of bits.
  double decoded(std::uint32_t bits) const {
    const std::uint32_t code = bits & (sign_bit() - 1);
    const double v = code < values_.size() ? values_[code]
                     : type_ != float8e4m3 && code == values_.size()
                         ? std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
    return bits & sign_bit() ? -v : v;
  }
  /// Halfway between neighbors, from 0 up.
  const std::vector<double>& middles() const { return middles_; }
  double max() const { return values_.back(); }

  /// The bits of the nearest to a number that is not NaN.
  std::uint32_t rounded(double v) const {
    const double m = std::abs(v);
    const auto at = std::lower_bound(middles_.begin(), middles_.end(), m);
    return with_sign(at, at != middles_.end() && *at == m, std::signbit(v));
  }
  /// The same for an integer, of which no bit is lost.
  std::uint32_t rounded(std::uint64_t magnitude, bool negative) const {
    const auto compared = [&](double middle) {  // <0, 0 or >0, as the middle is to the magnitude
      if (middle >= 0x1p64) return 1;
      const double whole = std::floor(middle);
      const auto integer = static_cast<std::uint64_t>(whole);
      if (integer != magnitude) return integer < magnitude ? -1 : 1;
      return middle > whole ? 1 : 0;
    };
    const auto at = std::partition_point(middles_.begin(), middles_.end(),
                                         [&](double middle) { return compared(middle) < 0; });
    return with_sign(at, at != middles_.end() && compared(*at) == 0, negative);
  }

 private:
  double magnitude(std::uint32_t code) const {
    const int bias = (1 << (exponent_bits_ - 1)) - 1;
    const auto exponent = static_cast<int>(code >> fraction_bits_);
    const std::uint32_t fraction = code & ((1u << fraction_bits_) - 1);
    if (exponent == 0) return std::ldexp(fraction, 1 - bias - fraction_bits_);
    return std::ldexp(fraction + (1u << fraction_bits_), exponent - bias - fraction_bits_);
  }
  /// `at`: the first middle that is not below the number; the code is that of the number below it.
  std::uint32_t with_sign(std::vector<double>::const_iterator at, bool tie, bool negative) const {
    auto code = static_cast<std::uint32_t>(at - middles_.begin());
    if (tie && code % 2 != 0) ++code;
    if (type_ == float8e4m3) code = std::min(code, static_cast<std::uint32_t>(values_.size()) - 1);
    return code | (negative ? sign_bit() : 0);
  }

  MLOperandDataType type_;
  int exponent_bits_ = 0, fraction_bits_ = 0;
  std::vector<double> values_{}, middles_{};  // finite ones, from 0 up
};

}  // namespace webnn::inline v0_1::test
