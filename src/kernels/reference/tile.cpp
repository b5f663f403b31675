#include "src/kernels/common/loop.h"
#include "src/kernels/reference/copy.h"

namespace webnn::reference {
namespace {

using TileLoop = Loop<1, std::size_t{2} * max_rank>;

template <class T> Run repeat(const TileLoop& loop, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const T* x = b.in<T>();
    T* y = b.out<T>();
    loop.run_elements(c.begin(r), c.end(r), [&](std::size_t i, const auto& at, std::size_t n) {
      const auto from = static_cast<std::size_t>(at[0]);
      if (loop.step[0] == 1) std::memcpy(y + i, x + from, n * sizeof(T));
      else
        for (std::size_t k = 0; k < n; ++k) y[i + k] = x[from];
    });
  };
}

Kernel make(const ops::tile& op, const Node& node) {
  // Two dimensions for each: over the repetitions, which do not advance, and over the elements.
  const auto own = strides_of(op.input.shape());
  Dims shape;
  std::array<std::ptrdiff_t, std::size_t{2} * max_rank> strides{};
  for (std::size_t d = 0; d < op.repetitions.size(); ++d) {
    shape.push_back(op.repetitions[d]);
    strides[shape.size()] = own[d];
    shape.push_back(op.input.shape()[d]);
  }
  const TileLoop loop(shape, {strides});
  const Partition c = partition(element_count(node.output().shape()), 1, 64);
  return {.name = "loop",
          .tiles = c.tiles(),
          .run = dispatch_width(op.input.dataType(),
                                [&]<class T>() -> Run { return repeat<T>(loop, c); })};
}

}  // namespace

Table<ops::TileSection> kernels(ops::TileSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
