#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/depthwise.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/vector/float32/depthwise-inl.h"
#include "src/kernels/simd/vector/float32/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// A whole vector of channels, or the first `left`.
template <bool Part> HWY_INLINE V load_channels(const float* p, [[maybe_unused]] int left) {
  if constexpr (Part) return load_first(p, left);
  else return hn::LoadU(D(), p);
}
template <bool Part> HWY_INLINE void store_channels(V v, float* p, [[maybe_unused]] int left) {
  if constexpr (Part) store_first(v, p, left);
  else hn::StoreU(v, D(), p);
}

/// body(c) for the first channel of each vector, of which there is at least one. The last vector
/// overlaps the one before it, which computes a few channels twice; the result is the same. The
/// body is in the program once.
template <class Body> HWY_INLINE void for_vectors(int channels, Body body) {
  for (int c = 0;; c = std::min(c + vector_lanes, channels - vector_lanes)) {
    body(c);
    if (c + vector_lanes >= channels) return;
  }
}

/// A part of an image's rows that a filter is applied to, and the pixels of the result.
struct Strip {
  const float* in[max_filter_rows + 1];  // the rows that are read; null: padding
  std::size_t x_pixel;
  int width, pad_left;  // columns of the image, and of padding before them
  float* y;             // the first pixel
  std::size_t y_row, y_pixel;
  int out_width;
  const float *w, *bias;
  int channels;
};

/// Which of the columns that a tile reads are padding.
enum class Edges { none, first, last, any };

// Rows x N adjacent pixels of the result of a filter of Height rows (0: any number) and Width
// columns, all channels, so that memory is read and written in order. (Channels outermost would
// keep the weights in registers, but then the store prefetcher of one core fetches the rows that
// another core writes.) Each combination is a separate kernel: what does not matter in the
// innermost loop is not among them.
template <int Height, int Width, int Stride, int Rows, int N, Edges Padding>
HWY_NOINLINE void filter_tile(const Depthwise& g, const Strip& s, int column) {
  const D d;
  constexpr int loads = (N - 1) * Stride + Width;
  const V lo = hn::Set(d, g.epilogue.lo), hi = hn::Set(d, g.epilogue.hi);
  const int height = Height ? Height : g.kernel_h;
  const std::ptrdiff_t first = std::ptrdiff_t{column} * Stride - s.pad_left;
  unsigned padding = 0;  // a bit for each column that is outside
  for (int i = 0; Padding == Edges::any && i < loads; ++i)
    padding |= (first + i < 0 || first + i >= s.width ? 1U : 0U) << i;
  const auto outside = [=](int i) {
    return (Padding == Edges::first && i == 0) || (Padding == Edges::last && i == loads - 1) ||
           (Padding == Edges::any && (padding >> i & 1));
  };
  const auto all = static_cast<std::size_t>(g.channels);
  for_vectors(s.channels, [&](int c) HWY_ATTR {
    V sum[Rows][N], kept[Height ? Height * Width : 1];
    const V bias = hn::LoadU(d, s.bias + c);
#pragma GCC unroll 2
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n) sum[r][n] = bias;
    const auto weight = [&](int i) HWY_ATTR {
      return hn::LoadU(d, s.w + static_cast<std::size_t>(i) * all + c);
    };
#pragma GCC unroll 9
    for (int i = 0; i < Height * Width; ++i) kept[i] = weight(i);
#pragma GCC unroll 4
    for (int k = 0; k < height + Rows - 1; ++k) {  // two rows of the result only at stride 1
      if (!s.in[k]) continue;
      const float* x = s.in[k] + first * static_cast<std::ptrdiff_t>(s.x_pixel) + c;
      V v[loads];
#pragma GCC unroll 16
      for (int i = 0; i < loads; ++i) {
        v[i] = outside(i) ? hn::Zero(d) : hn::LoadU(d, x + static_cast<std::size_t>(i) * s.x_pixel);
        keep(v[i]);
      }
#pragma GCC unroll 2
      for (int r = 0; r < Rows; ++r) {
        if (k < r || k - r >= height) continue;
#pragma GCC unroll 7
        for (int j = 0; j < Width; ++j) {
          const int i = (k - r) * Width + j;
          const V f = Height ? kept[i] : weight(i);
#pragma GCC unroll 4
          for (int n = 0; n < N; ++n) sum[r][n] = hn::MulAdd(v[n * Stride + j], f, sum[r][n]);
        }
      }
    }
#pragma GCC unroll 2
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int n = 0; n < N; ++n)
        hn::StoreU(clamped_result(sum[r][n], lo, hi), d,
                   s.y + static_cast<std::size_t>(r) * s.y_row +
                       static_cast<std::size_t>(column + n) * s.y_pixel + c);
  });
}

/// The rows of a strip of fewer pixels than a tile has, one after the other.
template <int Width, int Stride, int Rows> void filter_short(const Depthwise& g, Strip s) {
  for (int r = 0; r < Rows; ++r) {
    for (int column = 0; column < s.out_width; ++column)
      filter_tile<0, Width, Stride, 1, 1, Edges::any>(g, s, column);
    for (int k = 0; k < g.kernel_h; ++k) s.in[k] = s.in[k + 1];
    s.y += s.y_row;
  }
}

template <int Height, int Width, int Stride, int Rows, int N>
void filter_edge(const Depthwise& g, const Strip& s, int column) {
  const std::int64_t left = s.pad_left - std::int64_t{column} * Stride;
  const std::int64_t right = (N - 1) * Stride + Width - left - s.width;
  const auto tile = [&]<Edges Padding>(std::integral_constant<Edges, Padding>) {
    filter_tile<Height, Width, Stride, Rows, N, Padding>(g, s, column);
  };
  if (left <= 0 && right <= 0) return tile(std::integral_constant<Edges, Edges::none>());
  if constexpr (Height == 3) {  // most tiles of small images have an edge
    if (left == 1 && right <= 0) return tile(std::integral_constant<Edges, Edges::first>());
    if (left <= 0 && right == 1) return tile(std::integral_constant<Edges, Edges::last>());
  }
  tile(std::integral_constant<Edges, Edges::any>());
}

/// Tiles of four pixels, and of three where that covers a strip. Else the last tile overlaps the
/// one before it, which computes a few pixels twice.
template <int Height, int Width, int Stride, int Rows>
void filter_strip(const Depthwise& g, const Strip& s) {
  if (s.out_width < 4) return filter_short<Width, Stride, Rows>(g, s);
  for (int column = 0; column < s.out_width;) {
    const int left = s.out_width - column;
    if constexpr (Height == 3)
      if (left == 3 || left == 6 || left == 9) {
        filter_edge<Height, Width, Stride, Rows, 3>(g, s, column);
        column += 3;
        continue;
      }
    column = std::min(column, s.out_width - 4);
    filter_edge<Height, Width, Stride, Rows, 4>(g, s, column);
    column += 4;
  }
}

/// With dilation, the columns of the result whose windows share columns of the image are adjacent
/// pixels of an undilated filter over each dilation-th column.
template <int Height, int Width, int Stride, int Rows>
void filter_phases(const Depthwise& g, const Strip& row) {
  const int step = g.dilation_x;
  for (int phase = 0; phase < std::min(step, row.out_width); ++phase) {
    const std::int64_t before = std::int64_t{row.pad_left} - phase;  // the image begins
    const std::int64_t pad = before > 0 ? (before + step - 1) / step : -(-before / step);
    const auto begin = static_cast<int>(pad * step - before);  // the first column inside
    Strip s = row;
    for (int k = 0; k < g.kernel_h + Rows - 1; ++k)
      if (s.in[k]) s.in[k] += static_cast<std::size_t>(begin) * row.x_pixel;
    s.x_pixel *= static_cast<std::size_t>(step);
    s.width = begin >= row.width ? 0 : (row.width - begin - 1) / step + 1;
    s.pad_left = static_cast<int>(pad);
    s.y += static_cast<std::size_t>(phase) * row.y_pixel;
    s.y_pixel *= static_cast<std::size_t>(step);
    s.out_width = (row.out_width - phase - 1) / step + 1;
    filter_strip<Height, Width, Stride, Rows>(g, s);
  }
}

template <int Height, int Width, int Rows> void filter_size(const Depthwise& g, const Strip& s) {
  if constexpr (Rows == 1)
    if (g.stride_x == 2) return filter_strip<Height, Width, 2, Rows>(g, s);
  filter_phases<Height, Width, 1, Rows>(g, s);
}

/// Whether there are registers for the columns that two rows of a wide filter read, beside the
/// sums.
constexpr bool pairs_wide_rows = vector_registers > 16;

template <int Rows> void small_filter(const Depthwise& g, const Strip& s) {
  if constexpr (Rows == 1 || pairs_wide_rows) {
    if (g.kernel_w == 7) return filter_size<0, 7, Rows>(g, s);
    if (g.kernel_w == 5) return filter_size<0, 5, Rows>(g, s);
  }
  if (g.kernel_h == 3) filter_size<3, 3, Rows>(g, s);
  else filter_size<0, 3, Rows>(g, s);
}

/// N adjacent pixels of one row of the result, any filter.
template <int N, bool Part>
HWY_NOINLINE void filter_pixels(const Depthwise& g, int c0, int channels, int row, int column,
                                const Image& x, float* y, std::size_t y_pixel) {
  const D d;
  const V lo = hn::Set(d, g.epilogue.lo), hi = hn::Set(d, g.epilogue.hi);
  const std::size_t step_x = static_cast<std::size_t>(g.stride_x) * x.pixel;
  const auto all = static_cast<std::size_t>(g.channels);
  const std::int64_t first = std::int64_t{column} * g.stride_x - g.pad_left;
  const std::int64_t last = first + std::int64_t{N - 1} * g.stride_x;
  const auto step = [&](int c) HWY_ATTR {
    V sum[N];
    for (int n = 0; n < N; ++n) sum[n] = load_channels<Part>(g.bias + c0 + c, channels);
    for (int ky = 0; ky < g.kernel_h; ++ky) {
      const std::int64_t r =
          std::int64_t{row} * g.stride_y - g.pad_top + std::int64_t{ky} * g.dilation_y;
      if (r < 0 || r >= g.height) continue;
      const float* in = x.at(static_cast<int>(r)) + c;
      const float* w = g.w +
                       static_cast<std::size_t>(ky) * static_cast<std::size_t>(g.kernel_w) * all +
                       static_cast<std::size_t>(c0 + c);
      for (int kx = 0; kx < g.kernel_w; ++kx) {
        const std::int64_t at = std::int64_t{kx} * g.dilation_x;
        const V f = load_channels<Part>(w + static_cast<std::size_t>(kx) * all, channels);
        const float* p = in + (first + at) * static_cast<std::ptrdiff_t>(x.pixel);
        const auto add = [&](int n) HWY_ATTR {
          sum[n] = hn::MulAdd(
              load_channels<Part>(p + static_cast<std::size_t>(n) * step_x, channels), f, sum[n]);
        };
        if (first + at >= 0 && last + at < g.width) {
#pragma GCC unroll 8
          for (int n = 0; n < N; ++n) add(n);
          continue;
        }
#pragma GCC unroll 8
        for (int n = 0; n < N; ++n) {
          const std::int64_t i = first + at + std::int64_t{n} * g.stride_x;
          if (i >= 0 && i < g.width) add(n);
        }
      }
    }
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n)
      store_channels<Part>(clamped_result(sum[n], lo, hi),
                           y + static_cast<std::size_t>(n) * y_pixel + c, channels);
  };
  if constexpr (Part) step(0);
  else for_vectors(channels, step);
}

/// The last pixels overlap those before them, which are computed twice.
template <bool Part>
void filter_row(const Depthwise& g, int c0, int channels, int row, const Image& x, float* y,
                std::size_t y_pixel) {
  const auto pixels = [&]<int N>(std::integral_constant<int, N>, int column) {
    filter_pixels<N, Part>(g, c0, channels, row, column, x,
                           y + static_cast<std::size_t>(column) * y_pixel, y_pixel);
    return column + N;
  };
  for (int column = 0; column < g.out_width;) {
    if (g.out_width - column >= 8) column = pixels(std::integral_constant<int, 8>(), column);
    else if (g.out_width >= 4)
      column = pixels(std::integral_constant<int, 4>(), std::min(column, g.out_width - 4));
    else column = pixels(std::integral_constant<int, 1>(), column);
  }
}

void small_filter_rows(const Depthwise& g, int c0, int c1, int r0, int r1, const Image& x,
                       const Image& y) {
  Strip s{{},      x.pixel,     g.width,  g.pad_left,  nullptr, y.row,
          y.pixel, g.out_width, g.w + c0, g.bias + c0, c1 - c0};
  for (int r = r0; r < r1;) {
    const bool two = g.stride_y == 1 && g.stride_x == 1 && g.dilation_y == 1 && r + 2 <= r1 &&
                     (g.kernel_w == 3 || pairs_wide_rows);
    const int rows = two ? 2 : 1;
    for (int k = 0; k < g.kernel_h + rows - 1; ++k) {
      const std::int64_t row =
          std::int64_t{r} * g.stride_y - g.pad_top + std::int64_t{k} * g.dilation_y;
      s.in[k] = row < 0 || row >= g.height ? nullptr : x.at(static_cast<int>(row));
    }
    s.y = y.at(r);
    if (two) small_filter<2>(g, s);
    else small_filter<1>(g, s);
    r += rows;
  }
}

void depthwise_rows(const Depthwise& g, int c0, int c1, int r0, int r1, const Image& x,
                    const Image& y) {
  const bool part = c1 - c0 < vector_lanes;
  if (!part && g.is_small()) return small_filter_rows(g, c0, c1, r0, r1, x, y);
  const auto filter = part ? filter_row<true> : filter_row<false>;
  for (int r = r0; r < r1; ++r) filter(g, c0, c1 - c0, r, x, y.at(r), y.pixel);
}

// By blocks of channels that keep the rows of the image that are read again in L1.
void depthwise_image(const Depthwise& g, int first, int last, const float* x, float* y,
                     const float* residual) {
  const std::size_t fit =
      (24 << 10) / (sizeof(float) * (to_size(g.kernel_h) + 1) * to_size(g.width));
  const std::size_t vectors =
      std::max<std::size_t>(1, (fit + to_size(vector_lanes) / 2) / to_size(vector_lanes));
  const int block =
      static_cast<int>(std::min(vectors, to_size(g.channels / vector_lanes + 1))) * vector_lanes;
  const bool whole = !residual && g.epilogue.clamps();
  Depthwise bare = g;
  if (!whole) bare.epilogue = {};
  for (int c = 0; c < g.channels;) {
    // The last block has at least one vector, so that it can overlap.
    const int rest = g.channels - c;
    const int here = rest < block + vector_lanes ? rest : block;
    const Image in{const_cast<float*>(x) + c, to_size(g.width) * to_size(g.channels),
                   to_size(g.channels)};
    const Image out{y + c, to_size(g.out_width) * to_size(g.channels), to_size(g.channels)};
    depthwise_rows(bare, c, c + here, first, last, in, out);
    c += here;
  }
  if (whole) return;
  const std::size_t row = to_size(g.out_width) * to_size(g.channels), at = to_size(first) * row;
  finish(g.epilogue, last - first, row, row, y + at, residual ? residual + at : nullptr);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(depthwise_image);
void depthwise(const Depthwise& g, int first, int last, const float* x, float* y,
               const float* residual) {
  HWY_DYNAMIC_DISPATCH(depthwise_image)(g, first, last, x, y, residual);
}
}  // namespace webnn::inline v0_1::simd
#endif
