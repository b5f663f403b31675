#include <bit>
#include <limits>

#include "src/kernels/reference/copy.h"
#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {
namespace {

/// Integers from floats: truncated, saturated, 0 for NaN; from integers: the low bits. Floats:
/// the nearest.
template <class To, class From> To converted(From v) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    constexpr auto low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    // The bounds as floats: low exactly, high perhaps rounded up to the next power of two.
    if (v >= static_cast<From>(high)) return high;
    if (v <= static_cast<From>(low)) return low;
    return v == v ? static_cast<To>(v) : To{0};
  } else {
    return static_cast<To>(v);
  }
}

/// An integer as a float of which the last bit says whether anything was left out: rounded to less
/// bits it is the nearest to the integer.
template <class T> float for_rounding(T v) {
  const std::uint64_t low = static_cast<std::uint64_t>(v);
  bool negative = false;
  if constexpr (std::is_signed_v<T>) negative = v < 0;
  std::uint64_t magnitude = negative ? 0 - low : low;
  const int extra = std::bit_width(magnitude) - 24;
  if (extra > 0) {
    const std::uint64_t dropped = magnitude & ((std::uint64_t{1} << extra) - 1);
    magnitude = (magnitude - dropped) | (dropped ? std::uint64_t{1} << extra : 0);
  }
  const auto f = static_cast<float>(magnitude);
  return negative ? -f : f;
}

template <class Y> constexpr bool is_small_float = !std::is_integral_v<Y> && sizeof(Y) < 4;

}  // namespace

Candidate make(const ops::cast& op, const Node& node) {
  const MLOperand& y = node.output();
  if (op.input.dataType() == op.dataType) return plain_copy(y);
  return dispatch_every_type<types::any>(op.dataType, [&]<class Y>() {
    return dispatch_every_type<types::any>(op.input.dataType(), [&]<class X>() {
      const auto f = each([](auto v) {
        if constexpr (std::is_integral_v<X> && is_small_float<Y>) return for_rounding(v);
        else return converted<Compute<Y>>(v);
      });
      return array_kernel<Y, void, X>(f, 4, y, op.input);
    });
  });
}

}  // namespace webnn::inline v0_1::reference
