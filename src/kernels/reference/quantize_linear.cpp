#include <cmath>
#include <limits>

#include "src/kernels/reference/blocks.h"
#include "src/kernels/reference/move.h"
#include "src/kernels/reference/wide.h"

namespace webnn::reference {
namespace {

/// In double, where a quotient of two floats that is not halfway between integers does not become
/// so, and the limits of every type are exact.
template <class Y> Y quantized(double x, double scale, Y zero) {
  const double v = std::nearbyint(x / scale) + static_cast<double>(zero);
  if (v != v) return zero;
  constexpr double least = std::numeric_limits<Y>::min(), most = std::numeric_limits<Y>::max();
  return static_cast<Y>(std::clamp(v, least, most));
}

template <class X, class Y> Run quantize(const BlockLoop& loop, const Cut& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const X *x = b.in<X>(0), *scale = b.in<X>(1);
    const Y* zero = b.in<Y>(2);
    Y* y = b.out<Y>();
    loop.run_elements(c.begin(r), c.end(r), [&](std::size_t i, const auto& at, std::size_t n) {
      const Y* z = zero + at[0];
      const X* s = scale + at[0];
      if (loop.step[0] == 0) {
        const Y z0 = *z;
        const double s0 = wide(*s);
        for (std::size_t k = 0; k < n; ++k) y[i + k] = quantized(wide(x[i + k]), s0, z0);
      } else {
        const auto step = static_cast<std::size_t>(loop.step[0]);
        for (std::size_t k = 0; k < n; ++k)
          y[i + k] = quantized(wide(x[i + k]), wide(s[k * step]), z[k * step]);
      }
    });
  };
}

Kernel make(const ops::quantizeLinear& op, const Node&) {
  const BlockLoop loop = loop_over_blocks(op.scale.shape(), op.input.shape());
  const Cut c = cut(element_count(op.input.shape()), 8, 64);
  return {.name = "loop",
          .tiles = c.tiles(),
          .run = dispatch_type<types::floats>(op.input.dataType(), [&]<class X>() -> Run {
            return dispatch_type<types::quantized>(
                op.zeroPoint.dataType(), [&]<class Y>() -> Run { return quantize<X, Y>(loop, c); });
          })};
}

}  // namespace

Table<ops::QuantizeLinearSection> kernels(ops::QuantizeLinearSection) {
  return table<ops::QuantizeLinearSection>(
      [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
