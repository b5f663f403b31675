// Kernels over states that grow, which are made once for all sizes of the states.
#pragma once

#include <cstdint>

#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// An input of such kernels: how many rows the states of a run have before it.
struct GrowingSizes {
  std::uint32_t past = 0;
};

/// What such a kernel reads.
struct GrowingRows {
  std::size_t slot = 0;     ///< the input that is a GrowingSizes, behind those of the operator
  std::uint32_t fresh = 1;  ///< rows that each run adds
  bool float16 = false;     ///< the states are float16, and the operator has them as float32
  /// What masks the scores has its rows where it has them for full states; else those of the mask
  /// follow one another.
  bool spread_masks = false;

  std::size_t rows(const Buffers& b) const {
    return std::size_t{b.in<GrowingSizes>(slot)->past} + fresh;
  }
};

}  // namespace webnn::inline v0_1
