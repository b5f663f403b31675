#include <bit>
#include <limits>

#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {
namespace {

template <class T> T divide(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return wrapping_negate(a);
  }
  return static_cast<T>(a / b);
}

/// Square and multiply, wrapping; a negative exponent truncates the reciprocal.
template <class T> T power(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b < 0) return a == 1 ? T{1} : a == static_cast<T>(-1) ? (b % 2 ? a : T{1}) : T{0};
    std::uint64_t result = 1, base = static_cast<std::uint64_t>(a);
    for (auto e = static_cast<std::uint64_t>(b); e; e >>= 1, base *= base)
      if (e & 1) result *= base;
    return static_cast<T>(result);
  } else {
    return std::pow(a, b);
  }
}

/// One of two floats, or NaN if one of them is. Both ways to choose differ in the sign of a zero
/// alone: `join` says which bit remains. Without branches, for vectors.
template <class F> float choose(float a, float b, float one, float other, F join) {
  constexpr std::uint32_t nan =
      std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN());
  return std::bit_cast<float>(
      join(std::bit_cast<std::uint32_t>(one), std::bit_cast<std::uint32_t>(other)) |
      (std::isunordered(a, b) ? nan : 0));
}

/// +0 is larger than -0.
template <class T> T larger(T a, T b) {
  const T r = a > b ? a : b;
  if constexpr (std::is_integral_v<T>) return r;
  else return choose(a, b, r, b > a ? b : a, [](auto x, auto y) { return x & y; });
}
template <class T> T smaller(T a, T b) {
  const T r = a < b ? a : b;
  if constexpr (std::is_integral_v<T>) return r;
  else return choose(a, b, r, b < a ? b : a, [](auto x, auto y) { return x | y; });
}

template <class Op> constexpr auto function = nullptr;
template <> constexpr auto function<ops::add> = [](auto a, auto b) { return a + b; };
template <> constexpr auto function<ops::sub> = [](auto a, auto b) { return a - b; };
template <> constexpr auto function<ops::mul> = [](auto a, auto b) { return a * b; };
template <> constexpr auto function<ops::div> = each([](auto a, auto b) { return divide(a, b); });
template <> constexpr auto function<ops::max> = each([](auto a, auto b) { return larger(a, b); });
template <> constexpr auto function<ops::min> = each([](auto a, auto b) { return smaller(a, b); });
template <> constexpr auto function<ops::pow> = each([](auto a, auto b) { return power(a, b); });

/// Sums and products are those of unsigned integers, where overflow wraps.
template <class Op>
constexpr bool wraps =
    std::same_as<Op, ops::add> || std::same_as<Op, ops::sub> || std::same_as<Op, ops::mul>;

template <ops::FixedString N> Candidate make(const ops::Binary<N>& op, const Node& node) {
  using Op = ops::Binary<N>;
  return elementwise<types::any, void, wraps<Op>>(function<Op>, 4, node.output(), op.a, op.b);
}

}  // namespace

Table<ops::BinarySection> kernels(ops::BinarySection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::inline v0_1::reference
