// Indices that are data: those of gather and scatter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/kernels/common/loop.h"
#include "src/kernels/reference/copy.h"

namespace webnn::inline v0_1::reference {

/// Calls f<T, I>() with an unsigned integer as wide as the elements and the type of the indices.
template <class F> Run dispatch_indexed(const MLOperand& x, const MLOperand& indices, F&& f) {
  return dispatch_width(x.dataType(), [&]<class T>() -> Run {
    return dispatch_type<types::indices>(
        indices.dataType(), [&]<class I>() -> Run { return f.template operator()<T, I>(); });
  });
}

/// Negative indices count from the end; all are clamped into 0 to size - 1. Every allowed type
/// fits into 64 bits, so the extremes are clamped before anything narrows them.
constexpr std::size_t clamped_index(std::int64_t index, std::size_t size) {
  const auto n = static_cast<std::int64_t>(size);
  if (index < 0) index += n;
  return static_cast<std::size_t>(std::clamp(index, std::int64_t{0}, n - 1));
}
static_assert(clamped_index(-1, 3) == 2 && clamped_index(-4, 3) == 0 && clamped_index(3, 3) == 2);
static_assert(clamped_index(INT64_MIN, 1) == 0 && clamped_index(INT64_MAX, 2) == 1);

/// The rows of an index tensor that name slices of a tensor: `depth` coordinates each, for its
/// first dimensions.
struct Coordinates {
  std::size_t depth, slice = 1, places = 1;  ///< elements of a slice; slices in the tensor
  std::array<std::size_t, max_rank> sizes{};

  Coordinates(const Dims& indices, const Dims& tensor) : depth(indices.back()) {
    for (std::size_t d = 0; d < tensor.size(); ++d) {
      if (d < depth) places *= tensor[d];
      else slice *= tensor[d];
      sizes[d] = tensor[d];
    }
  }
  /// The number of the slice that a row names.
  template <class I> std::size_t place(const I* row) const {
    std::size_t at = 0;
    for (std::size_t d = 0; d < depth; ++d)
      at = at * sizes[d] + clamped_index(static_cast<std::int64_t>(row[d]), sizes[d]);
    return at;
  }
};

}  // namespace webnn::inline v0_1::reference
