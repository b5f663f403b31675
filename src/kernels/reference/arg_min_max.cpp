#include "src/kernels/reference/copy.h"
#include "src/kernels/reference/lanes.h"

namespace webnn::inline v0_1::reference {
namespace {

/// A NaN is before every number, so that the result is the place of what reduceMin or reduceMax
/// gives; of equals the first stays.
template <bool Largest, class T> bool precedes(T a, T b) {
  const bool beyond = Largest ? a > b : a < b;
  if constexpr (std::is_floating_point_v<T>) return beyond | ((a != a) & (b == b));
  else return beyond;
}

template <bool Largest, class T, class Index> Run search(const Lanes& lanes, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    using C = Compute<T>;
    const T* x = b.in<T>();
    const auto piece = [&](std::size_t first, std::size_t lane, auto n) {
      C best[Lanes::max_lanes];
      std::uint32_t place[Lanes::max_lanes];
      for (std::size_t i = 0; i < n; ++i) {
        best[i] = static_cast<C>(x[first + i]);
        place[i] = 0;
      }
      for (std::uint32_t j = 1; j < lanes.size; ++j)
        for (std::size_t i = 0; i < n; ++i) {  // without a branch, so that it becomes vectors
          const C v = static_cast<C>(x[first + j * lanes.after + i]);
          const bool better = precedes<Largest>(v, best[i]);
          best[i] = better ? v : best[i];
          place[i] = better ? j : place[i];
        }
      std::copy_n(place, std::size_t{n}, b.out<Index>() + lane);
    };
    lanes.run(c.begin(r), c.end(r), [&](std::size_t first, std::size_t lane, std::size_t n) {
      if (n > 1) piece(first, lane, n);
      else piece(first, lane, std::integral_constant<std::size_t, 1>());
    });
  };
}

template <ops::FixedString N> Candidate make(const ops::ArgMinMax<N>& op, const Node&) {
  constexpr bool largest = std::is_same_v<ops::ArgMinMax<N>, ops::argMax>;
  const Lanes lanes(op.input.shape(), op.axis);
  const Partition c =
      partition(lanes.count(), 2.0 * static_cast<double>(lanes.size), lanes.after > 1 ? 16 : 1);
  const bool wide = op.options.outputDataType == int64;
  return {.name = "loop",
          .tiles = c.tiles(),
          .run = dispatch_type<types::any>(op.input.dataType(), [&]<class T>() {
            return wide ? search<largest, T, std::int64_t>(lanes, c)
                        : search<largest, T, std::int32_t>(lanes, c);
          })};
}

}  // namespace

Table<ops::ArgMinMaxSection> kernels(ops::ArgMinMaxSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::inline v0_1::reference
