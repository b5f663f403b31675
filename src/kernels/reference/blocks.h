// Blockwise broadcasting: each element of a small tensor counts for a block of a large one.
#pragma once

#include "src/kernels/common/loop.h"

namespace webnn::reference {

using BlockLoop = Loop<1, std::size_t{2} * max_rank>;

/// A loop over the elements of a tensor of shape `to`, in order; its offset is that of the element
/// of a tensor of shape `from` which counts for them. Ones are added in front of `from`.
inline BlockLoop loop_over_blocks(Dims from, const Dims& to) {
  from.insert(from.begin(), to.size() - from.size(), 1);
  const auto own = strides_of(from);
  Dims shape;
  std::array<std::ptrdiff_t, std::size_t{2} * max_rank> strides{};
  for (std::size_t d = 0; d < to.size(); ++d) {
    strides[shape.size()] = own[d];
    shape.push_back(from[d]);
    shape.push_back(to[d] / from[d]);  // with stride 0
  }
  return BlockLoop(shape, {strides});
}

}  // namespace webnn::reference
