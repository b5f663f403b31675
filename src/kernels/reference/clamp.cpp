#include <limits>

#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {
namespace {

/// A bound in the data type of the input; `none` where it is absent or NaN.
template <class T>
Compute<T> bound(const std::optional<MLNumber>& given, const MLOperand& x, Compute<T> none) {
  if (!given) return none;
  const MLNumber value = given->to(x.dataType());
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value.as_uint64());
  } else {
    const auto v = static_cast<float>(value.as_double());
    return v != v ? none : v;
  }
}

}  // namespace

Candidate make(const ops::clamp& op, const Node&) {
  const MLOperand& x = op.input;
  return dispatch_type<input_types<ops::clamp>>(x.dataType(), [&]<class T>() {
    using C = Compute<T>;
    using Limits = std::numeric_limits<C>;
    constexpr bool infinite = Limits::has_infinity;
    const auto& [low, high, label] = op.options;
    const C lo = bound<T>(low, x, infinite ? -Limits::infinity() : Limits::lowest());
    const C hi = bound<T>(high, x, infinite ? Limits::infinity() : Limits::max());
    const auto f = each([lo, hi](C v) {  // NaN stays NaN
      v = v < lo ? lo : v;
      return v > hi ? hi : v;
    });
    return array_kernel<T, void, T>(f, 4, x, x);
  });
}

}  // namespace webnn::inline v0_1::reference
