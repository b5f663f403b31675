// Lines of images as pairs of bfloat16, which convolutions read in place of copies of windows.
#pragma once

#include "src/kernels/simd/vector/bfloat16/pairs.h"

namespace webnn::inline v0_1::simd {

/// Lines of one image, of which some may lie outside of it, with padding to the left and right.
struct PairLines {
  const float* image;
  int height = 0, width = 0;
  std::size_t channels = 0;  ///< of a pixel; an odd number of them has zeros beside it ...
  bool joined = false;       ///< ... or the next pixel, and the line at least one zero behind it
  int pad_left = 0;
  std::size_t columns = 0;  ///< of a converted line

  std::size_t pixel() const { return pairs_of(channels); }  ///< pairs, if they are not joined
  std::size_t pitch() const {                               ///< pairs of a converted line
    return joined ? pairs_of(columns * channels + 1) : columns * pixel();
  }
};

/// The lines [first, first + count), one behind the other.
void convert_lines(Bfloat16Products, const PairLines&, int first, std::size_t count,
                   std::uint32_t* to);

}  // namespace webnn::inline v0_1::simd
