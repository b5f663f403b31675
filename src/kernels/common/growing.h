// Kernels over states that grow, which are made once for all sizes of the states.
#pragma once

#include <cstdint>

#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// An input of such kernels: how many rows the states of a run have before it.
struct GrowingSizes {
  std::uint32_t past = 0;
};

/// How the rows of a state lie that an operator has as float32.
enum class StoredAs {
  float32,
  float16,
  bfloat16,
  int8,  ///< times the scale of each block of stored_block elements, which is float32
};
inline constexpr std::size_t stored_block = 32;
constexpr std::size_t bytes_of_element(StoredAs as) {
  return as == StoredAs::float32 ? 4 : as == StoredAs::int8 ? 1 : 2;
}

/// What such a kernel reads.
struct GrowingRows {
  /// The input that is a GrowingSizes, behind those of the operator. With StoredAs::int8 the scales
  /// of the keys and those of the values are behind it.
  std::size_t slot = 0;
  std::uint32_t fresh = 1;  ///< rows that each run adds
  StoredAs stored = StoredAs::float32;
  /// What masks the scores has its rows where it has them for full states; else those of the mask
  /// follow one another.
  bool spread_masks = false;

  std::size_t inputs() const { return slot + (stored == StoredAs::int8 ? 3 : 1); }
  std::size_t rows(const Buffers& b) const {
    return std::size_t{b.in<GrowingSizes>(slot)->past} + fresh;
  }
};

}  // namespace webnn::inline v0_1
