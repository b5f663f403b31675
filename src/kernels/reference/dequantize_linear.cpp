#include "src/kernels/reference/blocks.h"
#include "src/kernels/reference/elements.h"
#include "src/kernels/reference/move.h"
#include "src/kernels/reference/wide.h"

namespace webnn::reference {
namespace {

/// The difference is exact in 64 bits, and so, for scales of 24 bits, is the product in double but
/// for the largest differences.
template <class X, class S> Run dequantize(const BlockLoop& loop, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    using Value = typename Elements<X>::Value;
    const Elements<X> x(b.inputs[0]), zero(b.inputs[2]);
    const S* scale = b.in<S>(1);
    S* y = b.out<S>();
    const auto one = [](Value v, Value z, double s) {
      const auto d = static_cast<std::int64_t>(v) - static_cast<std::int64_t>(z);
      return narrow<S>(static_cast<double>(d) * s);
    };
    loop.run_elements(c.begin(r), c.end(r), [&](std::size_t i, const auto& at, std::size_t n) {
      const auto from = static_cast<std::size_t>(at[0]);
      if (loop.step[0] == 0) {
        const Value z0 = zero[from];
        const double s0 = wide(scale[from]);
        for (std::size_t k = 0; k < n; ++k) y[i + k] = one(x[i + k], z0, s0);
      } else {
        const auto step = static_cast<std::size_t>(loop.step[0]);
        for (std::size_t k = 0; k < n; ++k)
          y[i + k] = one(x[i + k], zero[from + k * step], wide(scale[from + k * step]));
      }
    });
  };
}

Kernel make(const ops::dequantizeLinear& op, const Node&) {
  const BlockLoop loop = loop_over_blocks(op.scale.shape(), op.input.shape());
  const Partition c = partition(element_count(op.input.shape()), 4, 64);
  return {.name = "loop",
          .tiles = c.tiles(),
          .run = dispatch_type<types::quantized>(op.input.dataType(), [&]<class X>() -> Run {
            return dispatch_type<types::floats>(
                op.scale.dataType(), [&]<class S>() -> Run { return dequantize<X, S>(loop, c); });
          })};
}

}  // namespace

Table<ops::DequantizeLinearSection> kernels(ops::DequantizeLinearSection) {
  return table<ops::DequantizeLinearSection>(
      [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
