#include "src/kernels/reference/copy.h"
#include "src/kernels/reference/index.h"
#include "src/kernels/reference/lanes.h"

namespace webnn::reference {
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

Kernel make(const ops::gatherElements& op, const Node& node) {
  const Lanes from(op.input.shape(), op.options.axis), to(op.indices.shape(), op.options.axis);
  const Partition c = partition(element_count(node.output().shape()), 4, 64);
  return {.name = "loop",
          .tiles = c.tiles(),
          .run = dispatch_width(op.input.dataType(), [&]<class T>() -> Run {
            return dispatch_type<types::indices>(
                op.indices.dataType(), [&]<class I>() -> Run { return gather<T, I>(from, to, c); });
          })};
}

}  // namespace

Table<ops::GatherElementsSection> kernels(ops::GatherElementsSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
