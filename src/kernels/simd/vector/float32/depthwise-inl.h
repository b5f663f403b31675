// Depthwise filters: 3x3 with the weights in registers, and any other. One copy per target.
#if defined(WEBNN_SIMD_DEPTHWISE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_DEPTHWISE_INL_H
#undef WEBNN_SIMD_DEPTHWISE_INL_H
#else
#define WEBNN_SIMD_DEPTHWISE_INL_H
#endif
#include <algorithm>
#include <utility>

#include "src/kernels/simd/vector/float32/depthwise.h"
#include "src/kernels/simd/vector/float32/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::simd::HWY_NAMESPACE {

/// Rows of pixels, `row` floats from one to the next, in a ring buffer of `ring` rows (0: all
/// rows); `pixel` floats from one pixel to the next.
struct Image {
  float* base;
  std::size_t row, pixel;
  int ring = 0;
  float* at(int r) const { return base + static_cast<std::size_t>(ring ? r % ring : r) * row; }
};

/// A whole vector of channels, or the first `left`.
template <bool Part> HWY_INLINE V load_channels(const float* p, [[maybe_unused]] int left) {
  if constexpr (Part) return load_first(p, left);
  else return hn::LoadU(D(), p);
}
template <bool Part> HWY_INLINE void store_channels(V v, float* p, [[maybe_unused]] int left) {
  if constexpr (Part) store_first(v, p, left);
  else hn::StoreU(v, D(), p);
}

/// body(c) for the first channel of each vector. The last vector overlaps the one before it, which
/// computes a few channels twice; the result is the same.
template <class Body> HWY_INLINE void for_vectors(int channels, Body body) {
  int c = 0;
  for (; c + vector_lanes <= channels; c += vector_lanes) body(c);
  if (c < channels) body(channels - vector_lanes);
}

/// The rows that a strip of pixels reads, and its memory.
struct Strip {
  const float* in[4];  // rows of the image; null: padding
  std::size_t x_pixel;
  float* y;  // the first pixel
  std::size_t y_row, y_pixel;
  const float *w, *bias;
  int channels;
};

// Rows x N adjacent pixels of the result, all channels, so that memory is read and written in
// order. (Channels outermost would keep the weights in registers, but then the store prefetcher of
// one core fetches the rows that another core writes.) Left, Right: the first, the last column that
// is read is padding. Part: fewer channels than lanes.
template <int Stride, int Rows, int N, bool Left, bool Right, bool Part>
HWY_NOINLINE void depthwise_tile(const Depthwise& g, const Strip& s, std::ptrdiff_t first) {
  const D d;
  constexpr int loads = (N - 1) * Stride + 3;
  const V lo = hn::Set(d, g.epilogue.lo), hi = hn::Set(d, g.epilogue.hi);
  const auto step = [&](int c) HWY_ATTR {
    V sum[Rows][N], f[9];
    const V bias = load_channels<Part>(s.bias + c, s.channels);
#pragma GCC unroll 2
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) sum[r][n] = bias;
#pragma GCC unroll 9
    for (int i = 0; i < 9; ++i)
      f[i] = load_channels<Part>(
          s.w + static_cast<std::size_t>(i) * static_cast<std::size_t>(g.channels) + c, s.channels);
#pragma GCC unroll 4
    for (int k = 0; k < 2 + Rows; ++k) {  // two rows of the result only at stride 1
      if (!s.in[k]) continue;
      const float* x = s.in[k] + first * static_cast<std::ptrdiff_t>(s.x_pixel) + c;
      V v[loads];
#pragma GCC unroll 9
      for (int i = 0; i < loads; ++i) {
        v[i] = (Left && i == 0) || (Right && i == loads - 1)
                   ? hn::Zero(d)
                   : load_channels<Part>(x + static_cast<std::size_t>(i) * s.x_pixel, s.channels);
        keep(v[i]);
      }
#pragma GCC unroll 2
      for (int r = 0; r < Rows; ++r)
        if (k >= r && k - r < 3)
#pragma GCC unroll 3
          for (int j = 0; j < 3; ++j)
#pragma GCC unroll 4
            for (int n = 0; n < N; ++n)
              sum[r][n] = hn::MulAdd(v[n * Stride + j], f[(k - r) * 3 + j], sum[r][n]);
    }
#pragma GCC unroll 2
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n)
        store_channels<Part>(clamped(sum[r][n], lo, hi),
                             s.y + static_cast<std::size_t>(r) * s.y_row +
                                 static_cast<std::size_t>(n) * s.y_pixel + c,
                             s.channels);
  };
  if constexpr (Part) step(0);
  else for_vectors(s.channels, step);
}

template <int Stride, int Rows, int N, bool Part>
HWY_INLINE int depthwise_pixels(const Depthwise& g, const Strip& strip, int column) {
  Strip s = strip;
  s.y += static_cast<std::size_t>(column) * s.y_pixel;
  const int first = column * Stride - g.pad_left;
  const bool left = first < 0, right = first + (N - 1) * Stride + 2 >= g.width;
  const auto tile = left    ? right ? depthwise_tile<Stride, Rows, N, true, true, Part>
                                    : depthwise_tile<Stride, Rows, N, true, false, Part>
                       : right ? depthwise_tile<Stride, Rows, N, false, true, Part>
                            : depthwise_tile<Stride, Rows, N, false, false, Part>;
  tile(g, s, first);
  return column + N;
}

template <int Stride, int Rows, bool Part>
void depthwise_strip(const Depthwise& g, const Strip& s) {
  for (int column = 0; column < g.out_width;) {
    switch (std::min(4, g.out_width - column)) {
      case 4: column = depthwise_pixels<Stride, Rows, 4, Part>(g, s, column); break;
      case 3: column = depthwise_pixels<Stride, Rows, 3, Part>(g, s, column); break;
      case 2: column = depthwise_pixels<Stride, Rows, 2, Part>(g, s, column); break;
      default: column = depthwise_pixels<Stride, Rows, 1, Part>(g, s, column);
    }
  }
}

/// N adjacent pixels of one row of the result, any filter. The columns [kx0, kx1) of the filter are
/// inside of the image for all of them.
template <int N, bool Part>
HWY_NOINLINE void filter_pixels(const Depthwise& g, int c0, int channels, int row, int column,
                                int kx0, int kx1, const Image& x, float* y, std::size_t y_pixel) {
  const D d;
  const V lo = hn::Set(d, g.epilogue.lo), hi = hn::Set(d, g.epilogue.hi);
  const std::size_t step_x = static_cast<std::size_t>(g.stride_x) * x.pixel;
  const auto all = static_cast<std::size_t>(g.channels);
  const auto step = [&](int c) HWY_ATTR {
    V sum[N];
    for (int n = 0; n < N; ++n) sum[n] = load_channels<Part>(g.bias + c0 + c, channels);
    for (int ky = 0; ky < g.kernel_h; ++ky) {
      const std::int64_t r =
          std::int64_t{row} * g.stride_y - g.pad_top + std::int64_t{ky} * g.dilation_y;
      if (r < 0 || r >= g.height) continue;
      const std::ptrdiff_t from = std::ptrdiff_t{column} * g.stride_x - g.pad_left;
      const float* in = x.at(static_cast<int>(r)) + c;
      const float* w = g.w +
                       static_cast<std::size_t>(ky) * static_cast<std::size_t>(g.kernel_w) * all +
                       static_cast<std::size_t>(c0 + c);
      for (int kx = kx0; kx < kx1; ++kx) {
        const V f = load_channels<Part>(w + static_cast<std::size_t>(kx) * all, channels);
        const float* p =
            in + (from + std::ptrdiff_t{kx} * g.dilation_x) * static_cast<std::ptrdiff_t>(x.pixel);
#pragma GCC unroll 8
        for (int n = 0; n < N; ++n)
          sum[n] = hn::MulAdd(
              load_channels<Part>(p + static_cast<std::size_t>(n) * step_x, channels), f, sum[n]);
      }
    }
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n)
      store_channels<Part>(clamped(sum[n], lo, hi), y + static_cast<std::size_t>(n) * y_pixel + c,
                           channels);
  };
  if constexpr (Part) step(0);
  else for_vectors(channels, step);
}

template <bool Part>
void filter_row(const Depthwise& g, int c0, int channels, int row, const Image& x, float* y,
                std::size_t y_pixel) {
  // Pixels whose whole window is inside of the row: [inner, outer).
  const std::int64_t last_tap = std::int64_t{g.kernel_w - 1} * g.dilation_x;
  const std::int64_t space = g.width - 1 - last_tap + g.pad_left;
  const int inner = std::min(g.out_width, (g.pad_left + g.stride_x - 1) / g.stride_x);
  const int outer =
      space < 0
          ? inner
          : static_cast<int>(std::clamp<std::int64_t>(space / g.stride_x + 1, inner, g.out_width));
  for (int column = 0; column < g.out_width;) {
    float* to = y + static_cast<std::size_t>(column) * y_pixel;
    if (column >= inner && column + 4 <= outer) {
      filter_pixels<4, Part>(g, c0, channels, row, column, 0, g.kernel_w, x, to, y_pixel);
      column += 4;
      continue;
    }
    const std::int64_t first = std::int64_t{column} * g.stride_x - g.pad_left;
    const auto clip = [&](std::int64_t v) {
      return static_cast<int>(std::clamp<std::int64_t>(v, 0, g.kernel_w));
    };
    const int kx0 = first >= 0 ? 0 : clip((-first + g.dilation_x - 1) / g.dilation_x);
    const int kx1 = first >= g.width ? 0 : clip((g.width - 1 - first) / g.dilation_x + 1);
    filter_pixels<1, Part>(g, c0, channels, row, column, kx0, std::max(kx0, kx1), x, to, y_pixel);
    ++column;
  }
}

/// Rows [r0, r1) of the result for the channels [c0, c1) of the weights; x, y and the residual
/// begin at channel c0. y and residual have row 0 at their base.
template <bool Part>
void depthwise_part(const Depthwise& g, int c0, int c1, int r0, int r1, const Image& x,
                    const Image& y) {
  if (!g.supports_3x3()) {
    for (int r = r0; r < r1; ++r) filter_row<Part>(g, c0, c1 - c0, r, x, y.at(r), y.pixel);
    return;
  }
  Strip s{{}, x.pixel, nullptr, y.row, y.pixel, g.w + c0, g.bias + c0, c1 - c0};
  for (int r = r0; r < r1;) {
    const int rows = g.stride_y == 1 && r + 2 <= r1 ? 2 : 1;
    for (int k = 0; k < 2 + rows; ++k) {
      const int row = r * g.stride_y - g.pad_top + k;
      s.in[k] = row < 0 || row >= g.height ? nullptr : x.at(row);
    }
    s.y = y.at(r);
    if (g.stride_y == 2) depthwise_strip<2, 1, Part>(g, s);
    else if (rows == 2) depthwise_strip<1, 2, Part>(g, s);
    else depthwise_strip<1, 1, Part>(g, s);
    r += rows;
  }
}
inline void depthwise_rows(const Depthwise& g, int c0, int c1, int r0, int r1, const Image& x,
                           const Image& y) {
  if (c1 - c0 >= vector_lanes) depthwise_part<false>(g, c0, c1, r0, r1, x, y);
  else depthwise_part<true>(g, c0, c1, r0, r1, x, y);
}

}  // namespace webnn::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
