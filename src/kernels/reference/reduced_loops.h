// The dimensions of a tensor in two loop nests: those that a reduction keeps, and those it runs
// over.
#pragma once

#include "src/kernels/common/loop.h"

namespace webnn::inline v0_1::reference {

using Strides = std::array<std::ptrdiff_t, max_rank>;

/// N tensors of the same sizes (or that repeat themselves, with strides of 0).
template <std::size_t N> struct ReducedLoops {
  Loop<N> kept, reduced;

  std::size_t outputs() const { return kept.rows * kept.inner; }
  std::size_t terms() const { return reduced.rows * reduced.inner; }
};

template <std::size_t N>
ReducedLoops<N> reduced_loops(const Dims& shape, std::span<const std::uint32_t> axes,
                              const std::array<Strides, N>& strides) {
  Dims sizes[2];
  std::array<Strides, N> by_tensor[2]{};
  for (std::uint32_t d = 0; d < shape.size(); ++d) {
    const bool gone = std::find(axes.begin(), axes.end(), d) != axes.end();
    for (std::size_t t = 0; t < N; ++t) by_tensor[gone][t][sizes[gone].size()] = strides[t][d];
    sizes[gone].push_back(shape[d]);
  }
  return {Loop<N>(sizes[0], by_tensor[0]), Loop<N>(sizes[1], by_tensor[1])};
}

}  // namespace webnn::inline v0_1::reference
