#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/convolve.cpp"
#include <hwy/foreach_target.h>

#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/vector/float32/convolve-inl.h"
#include "src/kernels/simd/vector/float32/depthwise-inl.h"
#include "src/kernels/simd/vector/float32/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

void convolve_image(const Gemm& g, const Im2col& w, int first, int rows, const float* x, float* y,
                    const float* residual, float* scratch) {
  Gemm here = g;
  set_strides(here, w, rows);
  convolve_rows(here, w, first, rows, x, y, residual, scratch);
}

// For one block of channels after another: for each row, expand the missing rows into the ring
// buffer, filter them, and add the projection to y. y holds the sum over the blocks of channels,
// which are always added in the same order.
void inverted_residual_rows(const InvertedResidual& b, int first, int last, const float* x,
                            float* y, const float* residual, float* scratch) {
  const Depthwise& dw = b.depthwise;
  const int out = dw.out_width, last_tap = (dw.kernel_h - 1) * dw.dilation_y;
  for (int c = 0; c < dw.channels; c += b.channels) {
    const int n = std::min(b.channels, dw.channels - c);
    const Image ring{scratch, to_size(dw.width) * to_size(n), to_size(n), b.ring()};
    const Image whole{const_cast<float*>(x) + c, to_size(dw.width) * to_size(dw.channels),
                      to_size(dw.channels)};
    const Image strip{ring.base + to_size(ring.ring) * ring.row, to_size(out) * to_size(n),
                      to_size(n)};
    float* window = strip.base + to_size(b.rows) * strip.row;
    Gemm expand = b.expand, project = b.project;
    set_strides(expand, b.im2col, 1);
    expand.y_stride = project.x_stride = to_size(n);
    expand.w += to_size(c / vector_lanes) * expand.column_size;
    expand.bias += c;
    expand.columns = n;
    project.w += to_size(c) * to_size(vector_lanes);
    project.k = to_size(n);
    project.accumulate = c > 0;
    const bool end = c + n == dw.channels;
    if (!end) project.epilogue = {};
    int ready = std::max(0, first * dw.stride_y - dw.pad_top);
    for (int r = first; r < last;) {
      const int rows = std::min(b.rows, last - r);
      const int need =
          std::min(dw.height, (r + rows - 1) * dw.stride_y - dw.pad_top + last_tap + 1);
      for (; b.expand.k && ready < need; ++ready)
        convolve_rows(expand, b.im2col, ready, 1, x, ring.at(ready), nullptr, window);
      const Image to{
          strip.base - static_cast<std::ptrdiff_t>(r) * static_cast<std::ptrdiff_t>(strip.row),
          strip.row, strip.pixel};
      depthwise_rows(dw, c, c + n, r, r + rows, b.expand.k ? ring : whole, to);
      if (!dw.epilogue.clamps()) activate(dw.epilogue, 1, to_size(rows) * strip.row, 0, strip.base);
      const std::size_t at = to_size(r) * to_size(out) * project.y_stride;
      gemm_columns(project, out * rows, 0, (project.columns + vector_lanes - 1) / vector_lanes,
                   strip.base, y + at, residual && end ? residual + at : nullptr);
      r += rows;
    }
  }
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(convolve_image);
HWY_EXPORT(inverted_residual_rows);

void set_strides(Gemm& g, const Im2col& w, int rows) {
  g.k = w.channels * to_size(w.kernel_w);
  g.segments = to_size(w.kernel_h);
  g.x_stride = to_size(w.stride_x) * w.channels;
  switch (w.mode) {
    case Im2col::Mode::direct:
      g.x_stride = to_size(w.stride_x) * w.pixel;
      g.segment_stride = to_size(w.dilation_y) * to_size(w.width) * w.pixel;
      break;
    case Im2col::Mode::rows:
      g.segment_stride = w.columns() * w.channels;
      if (w.strip > 1) g.segment_stride *= to_size(w.dilation_y);
      break;
    case Im2col::Mode::taps:
      g.k = w.channels;
      g.segments *= to_size(w.kernel_w);
      g.x_stride = w.channels;
      g.segment_stride = to_size(rows) * to_size(w.out_width) * w.channels;
      break;
  }
}
void convolve(const Gemm& g, const Im2col& w, int first, int rows, const float* x, float* y,
              const float* residual, float* scratch) {
  HWY_DYNAMIC_DISPATCH(convolve_image)(g, w, first, rows, x, y, residual, scratch);
}
void inverted_residual(const InvertedResidual& b, int first, int last, const float* x, float* y,
                       const float* residual, float* scratch) {
  HWY_DYNAMIC_DISPATCH(inverted_residual_rows)(b, first, last, x, y, residual, scratch);
}
}  // namespace webnn::inline v0_1::simd
#endif
