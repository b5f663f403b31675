#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/convolve.cpp"
#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/float32/convolve-inl.h"
#include "src/kernels/simd/vector/float32/depthwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::simd::HWY_NAMESPACE {

void convolve_image(const Gemm& g, const Window& w, int first, int rows, const float* x, float* y,
                    const float* residual, float* scratch) {
  Gemm here = g;
  set_strides(here, w, rows);
  convolve_rows(here, w, first, rows, x, y, residual, scratch);
}

// One block of channels after the other: down the rows, compute what the next row needs into the
// ring, filter it, add its projection to y. y carries the sum from one block of channels to the
// next, always in the same order.
void block_rows(const Block& b, int first, int last, const float* x, float* y,
                const float* residual, float* scratch) {
  const auto size = [](int v) { return static_cast<std::size_t>(v); };
  const Depthwise& dw = b.depthwise;
  const int out = dw.out_width, reach = (dw.kernel_h - 1) * dw.dilation_y;
  for (int c = 0; c < dw.channels; c += b.channels) {
    const int n = std::min(b.channels, dw.channels - c);
    const Image ring{scratch, size(dw.width) * size(n), size(n), b.ring()};
    const Image whole{const_cast<float*>(x) + c, size(dw.width) * size(dw.channels),
                      size(dw.channels)};
    const Image strip{ring.base + size(ring.ring) * ring.row, size(out) * size(n), size(n)};
    float* window = strip.base + size(b.rows) * strip.row;
    Gemm expand = b.expand, project = b.project;
    set_strides(expand, b.window, 1);
    expand.y_stride = project.x_stride = size(n);
    expand.w += size(c / vector_lanes) * expand.column_size;
    expand.bias += c;
    expand.columns = n;
    project.w += size(c) * size(vector_lanes);
    project.k = size(n);
    project.accumulate = c > 0;
    const bool end = c + n == dw.channels;
    if (!end) project.epilogue = {};
    int ready = std::max(0, first * dw.stride_y - dw.pad_top);
    for (int r = first; r < last;) {
      const int rows = std::min(b.rows, last - r);
      const int need = std::min(dw.height, (r + rows - 1) * dw.stride_y - dw.pad_top + reach + 1);
      for (; b.expand.k && ready < need; ++ready)
        convolve_rows(expand, b.window, ready, 1, x, ring.at(ready), nullptr, window);
      const Image to{
          strip.base - static_cast<std::ptrdiff_t>(r) * static_cast<std::ptrdiff_t>(strip.row),
          strip.row, strip.pixel};
      depthwise_rows(dw, c, c + n, r, r + rows, b.expand.k ? ring : whole, to);
      if (!dw.epilogue.clamps()) activate(dw.epilogue, 1, size(rows) * strip.row, 0, strip.base);
      const std::size_t at = size(r) * size(out) * project.y_stride;
      gemm_columns(project, out * rows, 0, (project.columns + vector_lanes - 1) / vector_lanes,
                   strip.base, y + at, residual && end ? residual + at : nullptr);
      r += rows;
    }
  }
}

}  // namespace webnn::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::simd {
HWY_EXPORT(convolve_image);
HWY_EXPORT(block_rows);

void set_strides(Gemm& g, const Window& w, int rows) {
  const auto size = [](int v) { return static_cast<std::size_t>(v); };
  g.k = w.channels * size(w.kernel_w);
  g.segments = size(w.kernel_h);
  g.x_stride = size(w.stride_x) * w.channels;
  switch (w.mode) {
    case Window::Mode::direct:
      g.x_stride = size(w.stride_x) * w.pixel;
      g.segment_stride = size(w.dilation_y) * size(w.width) * w.pixel;
      break;
    case Window::Mode::rows: g.segment_stride = w.columns() * w.channels; break;
    case Window::Mode::taps:
      g.k = w.channels;
      g.segments *= size(w.kernel_w);
      g.x_stride = w.channels;
      g.segment_stride = size(rows) * size(w.out_width) * w.channels;
      break;
  }
}
void convolve(const Gemm& g, const Window& w, int first, int rows, const float* x, float* y,
              const float* residual, float* scratch) {
  HWY_DYNAMIC_DISPATCH(convolve_image)(g, w, first, rows, x, y, residual, scratch);
}
void block(const Block& b, int first, int last, const float* x, float* y, const float* residual,
           float* scratch) {
  HWY_DYNAMIC_DISPATCH(block_rows)(b, first, last, x, y, residual, scratch);
}
}  // namespace webnn::simd
#endif
