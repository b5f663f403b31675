#include "src/kernels/reference/index.h"
#include "src/kernels/reference/lanes.h"

namespace webnn::inline v0_1::reference {
namespace {

template <class T, class I> Run gather(const Lanes& from, const Lanes& to, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const T* x = b.in<T>();
    const I* indices = b.in<I>(1);
    T* y = b.out<T>();
    const std::size_t begin = c.begin(r), end = c.end(r);
    // The place of the element: before, on and after the axis.
    std::size_t lane = begin % to.after, j = begin / to.after % to.size;
    std::size_t base = begin / (to.after * to.size) * from.size;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t at = clamped_index(static_cast<std::int64_t>(indices[i]), from.size);
      y[i] = x[(base + at) * from.after + lane];
      if (++lane < to.after) continue;
      lane = 0;
      if (++j < to.size) continue;
      j = 0;
      base += from.size;
    }
  };
}

}  // namespace

Candidate make(const ops::gatherElements& op, const Node& node) {
  const Lanes from(op.input.shape(), op.options.axis), to(op.indices.shape(), op.options.axis);
  const Partition c = partition(element_count(node.output().shape()), 4, 64);
  return {.name = "loop",
          .tiles = c.tiles(),
          .run = dispatch_indexed(op.input, op.indices,
                                  [&]<class T, class I>() { return gather<T, I>(from, to, c); })};
}

}  // namespace webnn::inline v0_1::reference
