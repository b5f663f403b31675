#include "src/kernels/reference/index.h"

namespace webnn::inline v0_1::reference {
namespace {

/// Tiles are cut from the elements of the result, for its slices may be few and large.
template <class T, class I> Run gather(const Coordinates& at, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const T* x = b.in<T>();
    const I* rows = b.in<I>(1);
    T* y = b.out<T>();
    const std::size_t begin = c.begin(r), end = c.end(r);
    if (at.slice == 1) {
      for (std::size_t i = begin; i < end; ++i) y[i] = x[at.place(rows + i * at.depth)];
      return;
    }
    for (std::size_t i = begin; i < end;) {
      const std::size_t row = i / at.slice, skip = i % at.slice;
      const std::size_t n = std::min(end - i, at.slice - skip);
      const std::size_t from = at.place(rows + row * at.depth) * at.slice + skip;
      std::memcpy(y + i, x + from, n * sizeof(T));
      i += n;
    }
  };
}

}  // namespace

Candidate make(const ops::gatherND& op, const Node& node) {
  const Coordinates at(op.indices.shape(), op.input.shape());
  const double cost = at.slice == 1 ? 4.0 * static_cast<double>(at.depth) : 1;
  const Partition c = partition(element_count(node.output().shape()), cost, 64);
  return {.name = "loop",
          .tiles = c.tiles(),
          .run = dispatch_indexed(op.input, op.indices,
                                  [&]<class T, class I>() { return gather<T, I>(at, c); })};
}

}  // namespace webnn::inline v0_1::reference
