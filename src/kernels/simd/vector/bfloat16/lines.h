// Lines of images as pairs of bfloat16, which convolutions read in place of copies of windows.
#pragma once

#include "src/kernels/simd/vector/bfloat16/pairs.h"

namespace webnn::inline v0_1::simd {

/// Lines of one image, of which some may lie outside of it, with padding to the left and right.
struct PairLines {
  const float* image;
  int height = 0, width = 0;
  std::size_t channels = 0;  ///< of a pixel; an odd number of them has zeros beside it
  int pad_left = 0;
  std::size_t columns = 0;  ///< of a converted line

  std::size_t pixel() const { return pairs_of(channels); }  ///< pairs
  std::size_t pitch() const { return columns * pixel(); }   ///< pairs of a converted line
};

/// The lines [first, first + count), one behind the other.
void convert_lines(Bfloat16Products, const PairLines&, int first, std::size_t count,
                   std::uint32_t* to);

}  // namespace webnn::inline v0_1::simd
