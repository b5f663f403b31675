#include "src/kernels/common/loop.h"
#include "src/kernels/reference/copy.h"

namespace webnn::reference {
namespace {

/// `first` is the element that comes first; the innermost loop goes forwards or backwards.
template <class T> Run reverse(const Loop<1>& loop, std::size_t first, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const T* x = b.in<T>();
    T* y = b.out<T>();
    loop.run_elements(c.begin(r), c.end(r), [&](std::size_t i, const auto& at, std::size_t n) {
      const std::size_t from = first + static_cast<std::size_t>(at[0]);
      if (loop.step[0] > 0) std::memcpy(y + i, x + from, n * sizeof(T));
      else
        for (std::size_t k = 0; k < n; ++k) y[i + k] = x[from - k];
    });
  };
}

Kernel make(const ops::reverse& op, const Node&) {
  const Dims& shape = op.input.shape();
  const auto& axes = op.options.axes;
  auto strides = strides_of(shape);
  std::size_t first = 0;
  for (std::uint32_t d = 0; d < shape.size(); ++d) {
    if (axes && std::find(axes->begin(), axes->end(), d) == axes->end()) continue;
    first += (shape[d] - 1) * static_cast<std::size_t>(strides[d]);
    strides[d] = -strides[d];
  }
  const Loop<1> loop(shape, {strides});
  const Partition c = partition(element_count(shape), 1, 64);
  return {.name = "loop",
          .tiles = c.tiles(),
          .run = dispatch_width(op.input.dataType(),
                                [&]<class T>() -> Run { return reverse<T>(loop, first, c); })};
}

}  // namespace

Table<ops::ReverseSection> kernels(ops::ReverseSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
