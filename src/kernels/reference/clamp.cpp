#include <limits>

#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
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

Kernel make(const ops::clamp& op, const Node&) {
  const MLClampOptions& o = op.options;
  return dispatch_type<input_types<ops::clamp>>(op.input.dataType(), [&]<class T>() {
    using C = Compute<T>;
    using Limits = std::numeric_limits<C>;
    constexpr bool infinite = Limits::has_infinity;
    const C lo = bound<T>(o.minValue, op.input, infinite ? -Limits::infinity() : Limits::lowest());
    const C hi = bound<T>(o.maxValue, op.input, infinite ? Limits::infinity() : Limits::max());
    const Partition c = partition(element_count(op.input.shape()), 4, 64);
    return Kernel{.name = "loop",
                  .tiles = c.tiles(),
                  .in_place = {0},
                  .run = [c, lo, hi](Range r, const Buffers& b, std::byte*) {
                    const std::size_t begin = c.begin(r);
                    map(b.in<T>() + begin, b.out<T>() + begin, c.end(r) - begin, [lo, hi](C v) {
                      v = v < lo ? lo : v;
                      return v > hi ? hi : v;
                    });
                  }};
  });
}

}  // namespace

Table<ops::ClampSection> kernels(ops::ClampSection) {
  return table<ops::ClampSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
