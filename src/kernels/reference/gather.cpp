#include "src/kernels/reference/index.h"
#include "src/kernels/reference/lanes.h"

namespace webnn::inline v0_1::reference {
namespace {

/// Input [outer, size, inner] and indices [count] give [outer, count, inner].
struct Sizes {
  std::size_t size, count, inner;
};

template <class T, class I>
void gather_elements(const T* x, const I* indices, T* y, const Sizes& s, std::size_t begin,
                     std::size_t end) {
  for (std::size_t i = begin; i < end;) {
    const T* from = x + i / s.count * s.size;
    std::size_t k = i % s.count;
    for (; k < s.count && i < end; ++k, ++i)
      y[i] = from[clamped_index(static_cast<std::int64_t>(indices[k]), s.size)];
  }
}

template <class T, class I> Run gather(const Partition& c, const Sizes& s) {
  return [c, s](Range r, const Buffers& b, std::byte*) {
    const T* x = b.in<T>();
    const I* indices = b.in<I>(1);
    T* y = b.out<T>();
    if (s.inner == 1) return gather_elements(x, indices, y, s, c.begin(r), c.end(r));
    std::size_t row = c.begin(r) / s.inner, at = c.begin(r) % s.inner;
    std::size_t o = row / s.count, k = row % s.count;
    for (std::size_t i = c.begin(r); i < c.end(r);) {
      const std::size_t place = clamped_index(static_cast<std::int64_t>(indices[k]), s.size);
      const std::size_t n = std::min(s.inner - at, c.end(r) - i);
      std::memcpy(y + i, x + (o * s.size + place) * s.inner + at, n * sizeof(T));
      i += n;
      at = 0;
      if (++k < s.count) continue;
      k = 0;
      ++o;
    }
  };
}

}  // namespace

Candidate make(const ops::gather& op, const Node& node) {
  const Lanes lanes(op.input.shape(), op.options.axis);
  const Sizes s{lanes.size, element_count(op.indices.shape()), lanes.after};
  const Partition c = partition(element_count(node.output().shape()), s.inner < 16 ? 4 : 2, 64);
  return {.name = "gather",
          .tiles = c.tiles(),
          .run = dispatch_indexed(op.input, op.indices,
                                  [&]<class T, class I>() { return gather<T, I>(c, s); })};
}

}  // namespace webnn::inline v0_1::reference
