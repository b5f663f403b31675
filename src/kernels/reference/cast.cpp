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

}  // namespace

Candidate make(const ops::cast& op, const Node& node) {
  const MLOperand& y = node.output();
  if (op.input.dataType() == op.dataType) return plain_copy(y);
  return dispatch_type<types::any>(op.dataType, [&]<class Y>() {
    const auto f = each([](auto v) { return converted<Compute<Y>>(v); });
    return elementwise<types::any, Y>(f, 4, y, op.input);
  });
}

}  // namespace webnn::inline v0_1::reference
