#include <cmath>

#include "src/kernels/reference/blocks.h"
#include "src/kernels/reference/elements.h"
#include "src/kernels/reference/move.h"
#include "src/kernels/reference/wide.h"

namespace webnn::reference {
namespace {

/// In double, where a quotient of two floats that is not halfway between integers does not become
/// so, and the limits of every type are exact.
template <class Y, class Value = typename Y::Value>
Value quantized(double x, double scale, Value zero) {
  const double v = std::nearbyint(x / scale) + static_cast<double>(zero);
  if (v != v) return zero;
  constexpr double least = Y::least, most = Y::most;
  return static_cast<Value>(std::clamp(v, least, most));
}

/// A range begins at a multiple of 64 elements, so that no two ranges share a byte.
template <class X, class T> Run quantize(const BlockLoop& loop, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    using Y = Elements<T>;
    const X *x = b.in<X>(0), *scale = b.in<X>(1);
    const Y zero(b.inputs[2]);
    std::byte* y = b.outputs[0];
    loop.run_elements(c.begin(r), c.end(r), [&](std::size_t i, const auto& at, std::size_t n) {
      const auto from = static_cast<std::size_t>(at[0]);
      if (loop.step[0] == 0) {
        const auto z0 = zero[from];
        const double s0 = wide(scale[from]);
        for (std::size_t k = 0; k < n; ++k) Y::set(y, i + k, quantized<Y>(wide(x[i + k]), s0, z0));
      } else {
        const auto step = static_cast<std::size_t>(loop.step[0]);
        for (std::size_t k = 0; k < n; ++k)
          Y::set(y, i + k,
                 quantized<Y>(wide(x[i + k]), wide(scale[from + k * step]), zero[from + k * step]));
      }
    });
  };
}

Kernel make(const ops::quantizeLinear& op, const Node&) {
  const BlockLoop loop = loop_over_blocks(op.scale.shape(), op.input.shape());
  const Partition c = partition(element_count(op.input.shape()), 8, 64);
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
