// A row of a convolution as a product of matrices. One copy per target.
#if defined(WEBNN_SIMD_CONVOLVE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_CONVOLVE_INL_H
#undef WEBNN_SIMD_CONVOLVE_INL_H
#else
#define WEBNN_SIMD_CONVOLVE_INL_H
#endif
#include <cstring>

#include "src/kernels/simd/vector/float32/convolve.h"
#include "src/kernels/simd/vector/float32/gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// The row of the image under row ky of a filter of that dilation; null: padding.
inline const float* image_row(const Im2col& w, int row, int ky, int dilation, const float* x) {
  const std::int64_t r = std::int64_t{row} * w.stride_y - w.pad_top + std::int64_t{ky} * dilation;
  if (r < 0 || r >= w.height) return nullptr;
  return x + static_cast<std::size_t>(r) * static_cast<std::size_t>(w.width) * w.pixel;
}

/// `count` pixels from column `from` on, every `step`-th, zeros outside the image.
inline void copy_pixels(const Im2col& w, const float* row, std::int64_t from, std::size_t step,
                        std::size_t count, float* to) {
  if (!row) return static_cast<void>(std::fill_n(to, count * w.channels, 0.f));
  const auto stride = static_cast<std::int64_t>(step), n = static_cast<std::int64_t>(count);
  const std::int64_t begin =
      std::clamp<std::int64_t>(from >= 0 ? 0 : (-from + stride - 1) / stride, 0, n);
  const std::int64_t end =
      std::clamp<std::int64_t>(from >= w.width ? 0 : (w.width - 1 - from) / stride + 1, begin, n);
  std::fill_n(to, static_cast<std::size_t>(begin) * w.channels, 0.f);
  if (step == 1 && w.channels == w.pixel) {
    std::memcpy(to + static_cast<std::size_t>(begin) * w.channels,
                row + (from + begin) * static_cast<std::int64_t>(w.pixel),
                static_cast<std::size_t>(end - begin) * w.channels * sizeof(float));
  } else {
    for (std::int64_t i = begin; i < end; ++i)
      std::memcpy(to + static_cast<std::size_t>(i) * w.channels,
                  row + (from + i * stride) * static_cast<std::int64_t>(w.pixel),
                  w.channels * sizeof(float));
  }
  std::fill_n(to + static_cast<std::size_t>(end) * w.channels,
              static_cast<std::size_t>(n - end) * w.channels, 0.f);
}

/// The matrix for the rows [first, first + rows) of the result, in the image or in scratch.
inline const float* gather(const Im2col& w, int first, int rows, const float* x, float* scratch) {
  if (w.mode == Im2col::Mode::direct) return image_row(w, first, 0, w.dilation_y, x);
  float* to = scratch;
  if (w.mode == Im2col::Mode::rows && w.strip > 1) {
    const auto count = static_cast<int>(w.copied_rows(rows));
    for (int i = 0; i < count; ++i, to += w.columns() * w.channels)
      copy_pixels(w, image_row(w, first, i, 1, x), -w.pad_left, 1, w.columns(), to);
    return scratch;
  }
  if (w.mode == Im2col::Mode::rows) {
    for (int ky = 0; ky < w.kernel_h; ++ky, to += w.columns() * w.channels)
      copy_pixels(w, image_row(w, first, ky, w.dilation_y, x), -w.pad_left, 1, w.columns(), to);
    return scratch;
  }
  const auto wide = static_cast<std::size_t>(w.out_width);
  for (int ky = 0; ky < w.kernel_h; ++ky)
    for (int kx = 0; kx < w.kernel_w; ++kx)
      for (int r = first; r < first + rows; ++r, to += wide * w.channels)
        copy_pixels(w, image_row(w, r, ky, w.dilation_y, x),
                    std::int64_t{kx} * w.dilation_x - w.pad_left,
                    static_cast<std::size_t>(w.stride_x), wide, to);
  return scratch;
}

inline void convolve_rows(const Gemm& g, const Im2col& w, int first, int rows, const float* x,
                          float* y, const float* residual, float* scratch) {
  const float* from = gather(w, first, rows, x, scratch);
  const int columns = (g.columns + vector_lanes - 1) / vector_lanes;
  if (w.mode == Im2col::Mode::taps || rows == 1)
    return gemm_columns(g, w.out_width * rows, 0, columns, from, y, residual);
  const std::size_t step = static_cast<std::size_t>(w.stride_y) * w.columns() * w.channels;
  const std::size_t row = static_cast<std::size_t>(w.out_width) * g.y_stride;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r)
    gemm_columns(g, w.out_width, 0, columns, from + r * step, y + r * row,
                 residual ? residual + r * row : nullptr);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
