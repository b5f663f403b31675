#include "src/kernels/reference/array.h"
#include "src/kernels/reference/kernels.h"
#include "src/kernels/reference/lanes.h"

namespace webnn::inline v0_1::reference {
namespace {

/// Floats are summed in double, integers in unsigned arithmetic, which wraps.
template <class T> Run sums(const Lanes& lanes, const Partition& c, bool exclusive, bool reversed) {
  return [=](Range r, const Buffers& b, std::byte*) {
    using C = Compute<T>;
    using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
    const T* x = b.in<T>();
    T* y = b.out<T>();
    lanes.run(c.begin(r), c.end(r), [&](std::size_t first, std::size_t, std::size_t n) {
      Sum sum[Lanes::max_lanes]{};
      for (std::size_t step = 0; step < lanes.size; ++step) {
        const std::size_t j = reversed ? lanes.size - 1 - step : step;
        const std::size_t at = first + j * lanes.after;
        for (std::size_t i = 0; i < n; ++i) {
          const Sum next = sum[i] + static_cast<Sum>(static_cast<C>(x[at + i]));
          y[at + i] = result_of<T>(exclusive ? sum[i] : next);
          sum[i] = next;
        }
      }
    });
  };
}

}  // namespace

Candidate make(const ops::cumulativeSum& op, const Node&) {
  const Lanes lanes(op.input.shape(), op.axis);
  const Partition c =
      partition(lanes.count(), 2.0 * static_cast<double>(lanes.size), lanes.after > 1 ? 16 : 1);
  return {.name = "loop",
          .tiles = c.tiles(),
          .in_place = {0},
          .run = dispatch_type<types::sums>(op.input.dataType(), [&]<class T>() {
            return sums<T>(lanes, c, op.options.exclusive, op.options.reversed);
          })};
}

}  // namespace webnn::inline v0_1::reference
