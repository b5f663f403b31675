// Loops over several tensors at once, each with its strides.
#pragma once

#include <array>
#include <cstddef>

#include "webnn/operand.h"

namespace webnn::inline v0_1 {

/// Row-major strides, in elements.
std::array<std::ptrdiff_t, max_rank> strides_of(const Dims& shape);
/// The strides of a tensor of shape `from` that is broadcast to `to`: 0 in the dimensions where it
/// is repeated. Aligned at the last dimension.
std::array<std::ptrdiff_t, max_rank> broadcast_strides(const Dims& from, const Dims& to);

/// A loop nest over `sizes`, with N tensors that advance by their strides. Dimensions of size 1
/// are left out and dimensions that are contiguous in all tensors are merged, so that the innermost
/// loop is as long as possible. `Rank`: the largest rank of `shape`.
template <std::size_t N, std::size_t Rank = max_rank> struct Loop {
  using Offsets = std::array<std::ptrdiff_t, N>;

  std::size_t rank = 0;
  std::array<std::size_t, Rank> sizes{};
  std::array<Offsets, Rank> strides{};  // by dimension
  std::size_t inner = 1;                // the innermost loop: elements and strides
  Offsets step{};
  std::size_t rows = 1;  // how often it runs

  Loop(const Dims& shape, const std::array<std::array<std::ptrdiff_t, Rank>, N>& by_tensor) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1) continue;
      Offsets here;
      for (std::size_t t = 0; t < N; ++t) here[t] = by_tensor[t][d];
      bool joins = rank > 0;
      for (std::size_t t = 0; t < N && joins; ++t)
        joins = strides[rank - 1][t] == here[t] * static_cast<std::ptrdiff_t>(shape[d]);
      if (joins) {
        sizes[rank - 1] *= shape[d];
        strides[rank - 1] = here;
      } else {
        sizes[rank] = shape[d];
        strides[rank++] = here;
      }
    }
    if (rank > 0) {
      --rank;
      inner = sizes[rank];
      step = strides[rank];
    } else {
      step.fill(1);
    }
    for (std::size_t d = 0; d < rank; ++d) rows *= sizes[d];
  }

  /// f(row, offsets) for the rows [begin, end): offsets of their first elements.
  template <class F> void run(std::size_t begin, std::size_t end, F&& f) const {
    Offsets offset{};
    if (rank == 0) {
      if (begin < end) f(begin, offset);
      return;
    }
    std::array<std::size_t, Rank> at{};
    std::size_t rest = begin;
    for (std::size_t d = rank; d-- > 0;) {
      at[d] = rest % sizes[d];
      rest /= sizes[d];
      for (std::size_t t = 0; t < N; ++t)
        offset[t] += static_cast<std::ptrdiff_t>(at[d]) * strides[d][t];
    }
    for (std::size_t row = begin; row < end; ++row) {
      f(row, offset);
      for (std::size_t d = rank; d-- > 0;) {
        for (std::size_t t = 0; t < N; ++t) offset[t] += strides[d][t];
        if (++at[d] < sizes[d]) break;
        for (std::size_t t = 0; t < N; ++t)
          offset[t] -= static_cast<std::ptrdiff_t>(sizes[d]) * strides[d][t];
        at[d] = 0;
      }
    }
  }

  /// f(element, offsets, count) for the elements [begin, end), counted in the order of the loops,
  /// in pieces of one innermost loop: the range may begin and end anywhere.
  template <class F> void run_elements(std::size_t begin, std::size_t end, F&& f) const {
    if (begin >= end) return;
    const std::size_t first = begin / inner, last = (end - 1) / inner + 1;
    run(first, last, [&](std::size_t row, Offsets offset) {
      const std::size_t from = std::max(begin, row * inner), to = std::min(end, (row + 1) * inner);
      for (std::size_t t = 0; t < N; ++t)
        offset[t] += static_cast<std::ptrdiff_t>(from - row * inner) * step[t];
      f(from, offset, to - from);
    });
  }
};

}  // namespace webnn::inline v0_1
