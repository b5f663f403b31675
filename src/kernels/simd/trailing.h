// Reductions over the last dimensions.
#pragma once

#include <algorithm>
#include <optional>

#include "webnn/operand.h"

namespace webnn::inline v0_1::simd {

/// The number of contiguous elements that the axes span, if they are the last dimensions in any
/// order; dimensions of size 1 do not count.
inline std::optional<std::size_t> trailing(const Dims& shape, const Dims& axes) {
  std::size_t n = 1;
  bool kept = false;  // a dimension behind this one
  for (std::uint32_t d = static_cast<std::uint32_t>(shape.size()); d-- > 0;) {
    if (shape[d] == 1) continue;
    const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (reduced && kept) return std::nullopt;
    if (reduced) n *= shape[d];
    else kept = true;
  }
  return n;
}

}  // namespace webnn::inline v0_1::simd
