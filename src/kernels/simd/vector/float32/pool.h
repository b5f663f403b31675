// Pooling over NHWC images.
#pragma once

#include "src/kernels/common/pooling.h"

namespace webnn::inline v0_1::simd {

enum class PoolKind { average, l2, max };

struct Pool {
  PoolKind kind{};
  PoolingSide down{}, across{};
  std::size_t channels = 0;
};

/// One row of the result for the channels [first, last): x is the image, y the row of the result.
void pool_row(const Pool& p, std::size_t row, std::size_t first, std::size_t last, const float* x,
              float* y);

}  // namespace webnn::inline v0_1::simd
