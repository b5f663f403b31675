#include "src/kernels/reference/copy.h"
#include "src/kernels/reference/index.h"

namespace webnn::reference {
namespace {

/// Input [outer, size, inner] and indices [count] give [outer, count, inner].
struct Sizes {
  std::size_t outer = 1, size, count, inner = 1;
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

template <class T, class I> auto run_of(Partition c, Sizes s) {
  return [c, s](Range r, const Buffers& b, std::byte*) {
    const T* x = b.in<T>();
    const I* indices = b.in<I>(1);
    T* y = b.out<T>();
    if (s.inner == 1) return gather_elements(x, indices, y, s, c.begin(r), c.end(r));
    std::size_t row = c.begin(r) / s.inner, at = c.begin(r) % s.inner;
    std::size_t o = row / s.count, k = row % s.count;
    for (std::size_t i = c.begin(r); i < c.end(r);) {
      const T* from =
          x +
          (o * s.size + clamped_index(static_cast<std::int64_t>(indices[k]), s.size)) * s.inner +
          at;
      const std::size_t n = std::min(s.inner - at, c.end(r) - i);
      std::memcpy(y + i, from, n * sizeof(T));
      i += n;
      at = 0;
      if (++k < s.count) continue;
      k = 0;
      ++o;
    }
  };
}

Kernel make(const ops::gather& op, const Node& node) {
  const Dims& in = op.input.shape();
  const std::uint32_t axis = op.options.axis;
  Sizes s{.size = in[axis], .count = element_count(op.indices.shape())};
  for (std::size_t d = 0; d < axis; ++d) s.outer *= in[d];
  for (std::size_t d = axis + 1; d < in.size(); ++d) s.inner *= in[d];
  const Partition c = partition(element_count(node.output().shape()), s.inner < 16 ? 4 : 2, 64);
  Kernel k{.name = "gather", .tiles = c.tiles()};
  k.run = dispatch_width(op.input.dataType(), [&]<class T>() {
    return dispatch_type<types::indices>(op.indices.dataType(),
                                         [&]<class I>() -> Run { return run_of<T, I>(c, s); });
  });
  return k;
}

}  // namespace

Table<ops::GatherSection> kernels(ops::GatherSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
