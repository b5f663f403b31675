// Dense convolutions as products of matrices, and blocks of convolutions fused.
#pragma once

#include "src/kernels/simd/vector/float32/depthwise.h"
#include "src/kernels/simd/vector/float32/gemm.h"

namespace webnn::simd {

/// Where the values lie that a row of the result is computed from.
struct Window {
  enum class Mode {
    direct,  ///< in the image itself: no padding to the left or right
    rows,    ///< copied with their padding, row by row of the filter
    taps     ///< copied for each element of the filter, so that they are neighbors
  };
  Mode mode = Mode::direct;
  int kernel_h = 1, kernel_w = 1, stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
  int pad_top = 0, pad_left = 0;
  int height = 0, width = 0, out_width = 0;
  std::size_t channels = 0;  ///< that are read of each pixel
  std::size_t pixel = 0;     ///< floats from one pixel to the next

  std::size_t columns() const {  ///< of a copied row
    return static_cast<std::size_t>(out_width - 1) * static_cast<std::size_t>(stride_x) +
           static_cast<std::size_t>(kernel_w - 1) * static_cast<std::size_t>(dilation_x) + 1;
  }
  /// Floats of scratch for so many rows of the result.
  std::size_t scratch(int rows) const {
    const auto high = static_cast<std::size_t>(kernel_h), wide = static_cast<std::size_t>(kernel_w);
    switch (mode) {
      case Mode::direct: return 0;
      case Mode::rows: return columns() * channels * high;
      case Mode::taps:
        return high * wide * static_cast<std::size_t>(rows) * static_cast<std::size_t>(out_width) *
               channels;
    }
    return 0;
  }
};

/// How a product over the window reads x. The weights are [kernel_h][kernel_w][channels].
void set_strides(Gemm& g, const Window& w, int rows);

/// Rows [first, first + rows) of the result of one image; y and residual point at row `first`.
/// More than one row only in mode taps.
void convolve(const Gemm&, const Window&, int first, int rows, const float* x, float* y,
              const float* residual, float* scratch);

/// A convolution, a depthwise one and a 1x1 one: what lies between exists only for `channels` of
/// the channels and a few rows at a time.
struct Block {
  Gemm expand{};    ///< k == 0: the depthwise convolution reads x itself
  Window window{};  ///< of expand
  Depthwise depthwise{};
  Gemm project{};
  int channels = 0;  ///< whole vectors, unless they are all
  int rows = 1;      ///< of the depthwise result at a time

  /// Rows of the expanded image that are kept.
  int ring() const {
    return (depthwise.kernel_h - 1) * depthwise.dilation_y + 1 + (rows - 1) * depthwise.stride_y;
  }
  std::size_t scratch() const {  ///< floats
    const auto n = static_cast<std::size_t>(channels);
    return (static_cast<std::size_t>(ring()) * static_cast<std::size_t>(depthwise.width) +
            static_cast<std::size_t>(rows) * static_cast<std::size_t>(depthwise.out_width)) *
               n +
           window.scratch(1);
  }
};
/// Rows [first, last) of the result of one image; y and residual point at row 0.
void block(const Block&, int first, int last, const float* x, float* y, const float* residual,
           float* scratch);

}  // namespace webnn::simd
