#include <limits>

#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {
namespace {

/// The remainder of a division that truncates.
template <class T> T truncated(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;  // the quotient of the lowest number does not exist
    return static_cast<T>(a % b);
  } else {
    const T rest = std::fmod(a, b);
    return std::isnan(rest) ? std::numeric_limits<T>::quiet_NaN() : rest;
  }
}

/// The remainder of a division that rounds down. The sum of two float16 is rounded twice, in float
/// and in the end, but a float has enough bits for that to be the same as once.
template <class T> T floored(T a, T b) {
  const T rest = truncated(a, b);
  if constexpr (std::is_unsigned_v<T>) return rest;
  else {
    if constexpr (std::is_floating_point_v<T>)
      if (rest == 0) return std::copysign(rest, b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  }
}

template <class Op> constexpr auto function = nullptr;
template <>
constexpr auto function<ops::modulusFloor> = each([](auto a, auto b) { return floored(a, b); });
template <>
constexpr auto function<ops::modulusTruncate> = each([](auto a, auto b) {
  return truncated(a, b);
});

template <ops::FixedString N> Candidate make(const ops::Binary<N>& op, const Node& node) {
  return elementwise<types::any>(function<ops::Binary<N>>, 64, node.output(), op.a, op.b);
}

}  // namespace

Table<ops::ModulusSection> kernels(ops::ModulusSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::inline v0_1::reference
