#include "src/kernels/reference/index.h"
#include "src/kernels/reference/lanes.h"

namespace webnn::inline v0_1::reference {
namespace {

/// Tiles are made of lanes along the axis: an update stays in its lane, and in a lane
/// row-major order is the order along the axis.
template <class T, class I> Run scatter(const Lanes& to, const Lanes& from, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const T *x = b.in<T>(0), *updates = b.in<T>(2);
    const I* indices = b.in<I>(1);
    T* y = b.out<T>();
    for (std::size_t lane = c.begin(r); lane < c.end(r);) {
      const std::size_t before = lane / to.after, at = lane % to.after;
      const std::size_t n = std::min(c.end(r) - lane, to.after - at);
      const std::size_t target = before * to.size * to.after + at;
      const std::size_t source = before * from.size * from.after + at;
      const std::size_t rows = n == to.after ? 1 : to.size, row = n == to.after ? n * to.size : n;
      for (std::size_t j = 0; j < rows; ++j) {
        const std::size_t first = target + j * to.after;
        move_elements(y + first, x + first, row);
      }
      for (std::size_t j = 0; j < from.size; ++j)
        for (std::size_t i = source + j * from.after, lane_at = target; lane_at < target + n;
             ++i, ++lane_at) {
          const std::size_t k = clamped_index(static_cast<std::int64_t>(indices[i]), to.size);
          y[lane_at + k * to.after] = updates[i];
        }
      lane += n;
    }
  };
}

}  // namespace

Candidate make(const ops::scatterElements& op, const Node&) {
  const Lanes to(op.input.shape(), op.options.axis), from(op.indices.shape(), op.options.axis);
  const double cost = static_cast<double>(to.size) + 4.0 * static_cast<double>(from.size);
  const Partition c = partition(to.count(), cost, to.after > 1 ? 16 : 1);
  return {.name = "loop",
          .tiles = c.tiles(),
          .in_place = {0},
          .run = dispatch_indexed(op.input, op.indices,
                                  [&]<class T, class I>() { return scatter<T, I>(to, from, c); })};
}

}  // namespace webnn::inline v0_1::reference
