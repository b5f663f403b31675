// Dense convolutions as products of matrices, and inverted residual blocks as one kernel.
#pragma once

#include "src/kernels/simd/vector/float32/depthwise.h"
#include "src/kernels/simd/vector/float32/gemm.h"

namespace webnn::inline v0_1::simd {

/// How the windows of a row of the result become the rows of a matrix.
struct Im2col {
  enum class Mode {
    direct,  ///< the image itself: no padding to the left or right
    rows,    ///< a padded copy of the image's row for each row of the filter
    taps     ///< a copy of the pixels for each element of the filter
  };
  Mode mode = Mode::direct;
  int kernel_h = 1, kernel_w = 1, stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
  int pad_top = 0, pad_left = 0;
  int height = 0, width = 0, out_width = 0;
  std::size_t channels = 0;  ///< of a pixel that are read
  std::size_t pixel = 0;     ///< floats from one pixel to the next
  int strip = 1;  ///< in mode rows: rows of the result for which all rows are copied once

  /// Rows of the image that are copied for `rows` rows of the result.
  std::size_t copied_rows(int rows) const {
    return strip == 1
               ? static_cast<std::size_t>(kernel_h)
               : static_cast<std::size_t>(rows - 1) * static_cast<std::size_t>(stride_y) +
                     static_cast<std::size_t>(kernel_h - 1) * static_cast<std::size_t>(dilation_y) +
                     1;
  }

  std::size_t columns() const {  ///< of a copied row
    return static_cast<std::size_t>(out_width - 1) * static_cast<std::size_t>(stride_x) +
           static_cast<std::size_t>(kernel_w - 1) * static_cast<std::size_t>(dilation_x) + 1;
  }
  /// Floats of scratch for `rows` rows of the result.
  std::size_t scratch(int rows) const {
    const auto high = static_cast<std::size_t>(kernel_h), wide = static_cast<std::size_t>(kernel_w);
    switch (mode) {
      case Mode::direct: return 0;
      case Mode::rows: return columns() * channels * copied_rows(rows);
      case Mode::taps:
        return high * wide * static_cast<std::size_t>(rows) * static_cast<std::size_t>(out_width) *
               channels;
    }
    return 0;
  }
};

/// Sets how a product reads x. The weights are [kernel_h][kernel_w][channels].
void set_strides(Gemm& g, const Im2col& w, int rows);

/// Rows [first, first + rows) of the result of one image; y and residual point at row `first`.
/// In mode rows as many as the strip has at most, and one in mode direct.
void convolve(const Gemm&, const Im2col&, int first, int rows, const float* x, float* y,
              const float* residual, float* scratch);

/// An inverted residual block: a convolution, a depthwise one and a 1x1 one. The values between
/// them are computed for `channels` of the channels and a few rows at a time.
struct InvertedResidual {
  Gemm expand{};    ///< k == 0: the depthwise convolution reads x itself
  Im2col im2col{};  ///< of expand
  Depthwise depthwise{};
  Gemm project{};
  int channels = 0;  ///< whole vectors, unless they are all
  int rows = 1;      ///< of the depthwise result at a time

  /// Rows of the expanded image in the ring buffer.
  int ring() const {
    return (depthwise.kernel_h - 1) * depthwise.dilation_y + 1 + (rows - 1) * depthwise.stride_y;
  }
  std::size_t scratch() const {  ///< floats
    const auto n = static_cast<std::size_t>(channels);
    return (static_cast<std::size_t>(ring()) * static_cast<std::size_t>(depthwise.width) +
            static_cast<std::size_t>(rows) * static_cast<std::size_t>(depthwise.out_width)) *
               n +
           im2col.scratch(1);
  }
};
/// Rows [first, last) of the result of one image; y and residual point at row 0.
void inverted_residual(const InvertedResidual&, int first, int last, const float* x, float* y,
                       const float* residual, float* scratch);

}  // namespace webnn::inline v0_1::simd
