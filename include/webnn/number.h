// MLNumber: a JavaScript number or bigint, kept exactly.
#pragma once

#include "webnn/language.h"

#include <concepts>
#include <cstdint>
#include <variant>

#include "webnn/data_type.h"

namespace webnn::inline v0_1 {

class MLNumber {
 public:
  MLNumber() = default;
  template <std::floating_point T> MLNumber(T value) : value_(static_cast<double>(value)) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) MLNumber(T value) {
    if (value < 0) value_ = static_cast<std::int64_t>(value);
    else value_ = static_cast<std::uint64_t>(value);
  }

  /// "number-cast" of the spec: nearest, ties to even; integers saturate first, NaN becomes 0.
  MLNumber to(MLOperandDataType type) const;
  bool is_integer() const { return !std::holds_alternative<double>(value_); }
  bool is_negative_integer() const { return std::holds_alternative<std::int64_t>(value_); }
  double as_double() const;
  std::uint64_t as_uint64() const;  ///< two's complement; of floats the nearest, saturated

  /// Same kind and same bits: a NaN equals itself, -0 differs from +0.
  bool operator==(const MLNumber& other) const;
  /// Exact for two integers; false when either is NaN.
  friend bool operator>(const MLNumber& a, const MLNumber& b);

 private:
  // Non-negative integers are always stored unsigned, so one value has one form.
  std::variant<double, std::int64_t, std::uint64_t> value_ = std::uint64_t{0};
};

}  // namespace webnn::inline v0_1
