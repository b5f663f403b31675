#include "src/kernels/reference/index.h"

namespace webnn::inline v0_1::reference {
namespace {

/// Tiles are cut from the slices of the result. Each range reads all rows of indices, in order,
/// and writes the slices that are its own, so of several updates the last stays.
template <class T, class I>
Run scatter(const Coordinates& at, std::size_t count, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const T *x = b.in<T>(0), *updates = b.in<T>(2);
    const I* rows = b.in<I>(1);
    T* y = b.out<T>();
    const std::size_t begin = c.begin(r), end = c.end(r), slice = at.slice;
    move_elements(y + begin * slice, x + begin * slice, (end - begin) * slice);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = at.place(rows + i * at.depth);
      if (place < begin || place >= end) continue;
      if (slice == 1) y[place] = updates[i];
      else std::memcpy(y + place * slice, updates + i * slice, slice * sizeof(T));
    }
  };
}

}  // namespace

Candidate make(const ops::scatterND& op, const Node&) {
  const Coordinates at(op.indices.shape(), op.input.shape());
  const std::size_t count = element_count(op.indices.shape()) / at.depth;
  Partition c = partition(at.places, static_cast<double>(at.slice));
  // Reading the rows must not cost a range more than its copy.
  const std::size_t reading = 2 * count * at.depth / at.slice;
  c.each = std::min(std::max(c.each, reading), std::max(c.count, std::size_t{1}));
  return {.name = "loop",
          .tiles = c.tiles(),
          .in_place = {0},
          .run = dispatch_indexed(op.input, op.indices,
                                  [&]<class T, class I>() { return scatter<T, I>(at, count, c); })};
}

}  // namespace webnn::inline v0_1::reference
