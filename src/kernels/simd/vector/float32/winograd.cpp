#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/winograd.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <array>

#include "src/kernels/simd/vector/float32/epilogue-inl.h"
#include "src/kernels/simd/vector/float32/winograd.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// The points of the interpolation besides 0 and infinity are +-a and +-b (1 alone for tiles of 2).
/// a = 5/8 and b = 3/2 lose less than half of the bits that 1 and 2 lose, and their products that
/// are needed here are exact in float.
constexpr double point_a = 0.625, point_b = 1.5;
constexpr double a2 = point_a * point_a, b2 = point_b * point_b;

/// One direction of a tile: transforms of Size + 2 pixels, of 3 weights and of Size + 2 products.
template <int Size> struct Transform;

template <> struct Transform<2> {
  HWY_INLINE static void input(const V (&x)[4], V (&y)[4]) {
    y[0] = hn::Sub(x[2], x[0]);
    y[1] = hn::Add(x[2], x[1]);
    y[2] = hn::Sub(x[2], x[1]);
    y[3] = hn::Sub(x[3], x[1]);
  }
  HWY_INLINE static void output(const V (&x)[4], V (&y)[2]) {
    y[0] = hn::Add(x[0], hn::Add(x[1], x[2]));
    y[1] = hn::Add(hn::Sub(x[1], x[2]), x[3]);
  }
  static constexpr double filter[4][3] = {{-1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
};

template <> struct Transform<4> {
  HWY_INLINE static V constant(double v) { return hn::Set(D(), static_cast<float>(v)); }
  HWY_INLINE static void input(const V (&x)[6], V (&y)[6]) {
    const V a = constant(point_a), b = constant(point_b), aa = constant(a2), bb = constant(b2),
            sum = constant(a2 + b2), product = constant(a2 * b2);
    const V even_a = hn::NegMulAdd(bb, x[2], x[4]), odd_a = hn::NegMulAdd(bb, x[1], x[3]);
    const V even_b = hn::NegMulAdd(aa, x[2], x[4]), odd_b = hn::NegMulAdd(aa, x[1], x[3]);
    y[0] = hn::MulAdd(product, x[0], hn::NegMulAdd(sum, x[2], x[4]));
    y[1] = hn::MulAdd(a, odd_a, even_a);
    y[2] = hn::NegMulAdd(a, odd_a, even_a);
    y[3] = hn::MulAdd(b, odd_b, even_b);
    y[4] = hn::NegMulAdd(b, odd_b, even_b);
    y[5] = hn::MulAdd(product, x[1], hn::NegMulAdd(sum, x[3], x[5]));
  }
  HWY_INLINE static void output(const V (&x)[6], V (&y)[4]) {
    const V sum_a = hn::Add(x[1], x[2]), difference_a = hn::Sub(x[1], x[2]);
    const V sum_b = hn::Add(x[3], x[4]), difference_b = hn::Sub(x[3], x[4]);
    y[0] = hn::Add(x[0], hn::Add(sum_a, sum_b));
    y[1] = hn::MulAdd(constant(point_b), difference_b, hn::Mul(constant(point_a), difference_a));
    y[2] = hn::MulAdd(constant(b2), sum_b, hn::Mul(constant(a2), sum_a));
    y[3] = hn::MulAdd(constant(b2 * point_b), difference_b,
                      hn::MulAdd(constant(a2 * point_a), difference_a, x[5]));
  }
  // The row of a point p: 1, p, p^2 over the product of its distances to the other points.
  static constexpr double at_a = 2 * a2 * (a2 - b2), at_b = 2 * b2 * (b2 - a2);
  static constexpr double filter[6][3] = {{1 / (a2 * b2), 0, 0},
                                          {1 / at_a, point_a / at_a, a2 / at_a},
                                          {1 / at_a, -point_a / at_a, a2 / at_a},
                                          {1 / at_b, point_b / at_b, b2 / at_b},
                                          {1 / at_b, -point_b / at_b, b2 / at_b},
                                          {0, 0, 1}};
};

/// A tile's place in a batch of images.
struct Place {
  std::size_t image;
  int row, column;  // of its first result
};
Place place_of(const Winograd& w, std::size_t tile) {
  const std::size_t each = w.tiles_of_image(), in_image = tile % each;
  const auto across = static_cast<std::size_t>(w.tiles_across());
  return {tile / each, static_cast<int>(in_image / across) * w.size,
          static_cast<int>(in_image % across) * w.size};
}

/// The pixels of one tile of `left` (at least one) channels from x on; those of the rows
/// [r0, r1) and columns [c0, c1) are in the image.
struct Patch {
  const float* x;  // pixel 0, 0, which may be outside of the image
  std::ptrdiff_t row, pixel;
  int r0, r1, c0, c1;
};

/// One vector of channels. Not inlined: the compiler would keep the addresses of all pixels and
/// positions beside the loop over the channels, in memory.
template <int Size, bool Inside>
HWY_NOINLINE void transform_pixels(const Patch& p, std::ptrdiff_t channel, int left, float* to,
                                   std::size_t position) {
  constexpr int n = Size + 2;
  const D d;
  V half[n][n];
  const float* column = p.x + channel;
#pragma GCC unroll 6
  for (int c = 0; c < n; ++c, column += p.pixel) {
    V x[n], y[n];
    const float* from = column;
#pragma GCC unroll 6
    for (int r = 0; r < n; ++r, from += p.row) {
      if (Inside && c >= 2) __builtin_prefetch(from + Size * p.pixel);  // the next tile's
      if (Inside) x[r] = hn::LoadU(d, from);
      else if (r >= p.r0 && r < p.r1 && c >= p.c0 && c < p.c1) x[r] = load_some(from, left);
      else x[r] = hn::Zero(d);
    }
    Transform<Size>::input(x, y);
#pragma GCC unroll 6
    for (int r = 0; r < n; ++r) half[r][c] = y[r];
  }
#pragma GCC unroll 6
  for (int r = 0; r < n; ++r) {
    V y[n];
    Transform<Size>::input(half[r], y);
#pragma GCC unroll 6
    for (int c = 0; c < n; ++c, to += position) hn::StoreU(y[c], d, to);
  }
}

template <int Size>
void input_tiles(const Winograd& w, std::size_t first, std::size_t last, const float* x,
                 const WinogradRows& to) {
  constexpr int n = Size + 2;
  const auto channels = static_cast<std::ptrdiff_t>(w.channels);
  for (std::size_t tile = first; tile < last; ++tile) {
    const Place at = place_of(w, tile);
    const int row = at.row - w.pad_top, column = at.column - w.pad_left;
    const std::ptrdiff_t image = std::ptrdiff_t{w.height} * w.width * channels;
    const Patch p{.x = x + static_cast<std::ptrdiff_t>(at.image) * image +
                       (std::ptrdiff_t{row} * w.width + column) * channels,
                  .row = w.width * channels,
                  .pixel = channels,
                  .r0 = std::max(0, -row),
                  .r1 = std::min(n, w.height - row),
                  .c0 = std::max(0, -column),
                  .c1 = std::min(n, w.width - column)};
    const bool inside = p.r0 == 0 && p.c0 == 0 && p.r1 == n && p.c1 == n;
    float* v = to.data + (tile - first) * to.row;
    for (int c = 0; c < w.channels; c += vector_lanes) {
      const int left = w.channels - c;
      if (inside && left >= vector_lanes)
        transform_pixels<Size, true>(p, c, left, v + c, to.position);
      else transform_pixels<Size, false>(p, c, left, v + c, to.position);
    }
  }
}

/// Results that exist.
struct Extent {
  int rows, columns;
};

/// The results of one tile of a vector of channels. Returns zeros where they are finite before the
/// bias is added, and NaN where not.
template <int Size>
HWY_NOINLINE V transform_products(const Winograd& w, const float* from, std::size_t position,
                                  std::size_t channel, Extent e, const float* residual, float* y,
                                  std::size_t pixel) {
  constexpr int n = Size + 2;
  const D d;
  V half[Size][n];
#pragma GCC unroll 6
  for (int c = 0; c < n; ++c) {
    V x[n], z[Size];
#pragma GCC unroll 6
    for (int r = 0; r < n; ++r)
      x[r] = hn::LoadU(d, from + static_cast<std::size_t>(r * n + c) * position + channel);
    Transform<Size>::output(x, z);
#pragma GCC unroll 6
    for (int r = 0; r < Size; ++r) half[r][c] = z[r];
  }
  const V bias = hn::LoadU(d, w.bias + channel);
  const bool clamps = w.epilogue.activation == Activation::clamp;
  const V lo = hn::Set(d, w.epilogue.lo), hi = hn::Set(d, w.epilogue.hi), zero = hn::Zero(d);
  const int left = w.out_channels - static_cast<int>(channel);
  const std::size_t row = pixel * static_cast<std::size_t>(w.out_width);
  V bad = zero;
#pragma GCC unroll 6
  for (int r = 0; r < Size; ++r) {
    V z[Size];
    Transform<Size>::output(half[r], z);
    if (r >= e.rows) break;
#pragma GCC unroll 6
    for (int c = 0; c < Size; ++c) {
      if (c >= e.columns) break;
      const std::size_t at =
          static_cast<std::size_t>(r) * row + static_cast<std::size_t>(c) * pixel + channel;
      bad = hn::MulAdd(z[c], zero, bad);
      V v = hn::Add(z[c], bias);
      if (residual) v = hn::Add(v, load_some(residual + at, left));
      if (clamps) v = clamped(v, lo, hi);
      store_some(with_one_nan(v), y + at, left);
    }
  }
  // Lanes beyond the channels hold what was in memory.
  return left >= vector_lanes
             ? bad
             : hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(left)), bad);
}

/// Whether results of a tile can be finite: the products, with room for what their sums reach.
template <int Size>
bool finite_products(const Winograd& w, const float* from, std::size_t position) {
  const D d;
  const V large = hn::Set(d, 1024.f), zero = hn::Zero(d);
  V bad = zero;
  for (int c = 0; c < w.out_channels; c += vector_lanes)
    for (std::size_t i = 0; i < w.positions(); ++i) {
      const V v = load_some(from + i * position + c, w.out_channels - c);
      bad = hn::MulAdd(hn::Mul(v, large), zero, bad);
    }
  return hn::AllTrue(d, hn::Eq(bad, zero));
}

template <int Size>
void output_tiles(const Winograd& w, std::size_t first, std::size_t last, const WinogradRows& m,
                  const float* x, const float* residual, float* y, std::size_t pixel) {
  const D d;
  const std::size_t row = pixel * static_cast<std::size_t>(w.out_width);
  const auto channels = static_cast<std::size_t>(w.out_channels);
  for (std::size_t tile = first; tile < last; ++tile) {
    const Place p = place_of(w, tile);
    const std::size_t at =
        (p.image * static_cast<std::size_t>(w.out_height) + static_cast<std::size_t>(p.row)) * row +
        static_cast<std::size_t>(p.column) * pixel;
    const Extent e{std::min(Size, w.out_height - p.row), std::min(Size, w.out_width - p.column)};
    const float* from = m.data + (tile - first) * m.row;
    // What is added may lie where the results go, and would be gone.
    const bool direct = residual && !finite_products<Size>(w, from, m.position);
    V bad = hn::Zero(d);
    for (int c = 0; c < w.out_channels && !direct; c += vector_lanes)
      bad =
          hn::Add(bad, transform_products<Size>(w, from, m.position, static_cast<std::size_t>(c), e,
                                                residual ? residual + at : nullptr, y + at, pixel));
    if (direct || (!residual && !hn::AllTrue(d, hn::Eq(bad, hn::Zero(d)))))
      w.direct(w.context, tile, x, residual, y, pixel);
    if (w.epilogue.clamps()) continue;
    if (pixel == channels)
      activate(w.epilogue, e.rows, static_cast<std::size_t>(e.columns) * pixel, row, y + at);
    else
      for (int r = 0; r < e.rows; ++r)
        activate(w.epilogue, e.columns, channels, pixel,
                 y + at + static_cast<std::size_t>(r) * row);
  }
}

/// Sums of products with three constants, lane by lane.
using Lanes = std::array<double, 8>;
inline void combine(const double (&g)[3], const Lanes& x, const Lanes& y, const Lanes& z,
                    Lanes& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = g[0] * x[i] + g[1] * y[i] + g[2] * z[i];
}

template <int Size>
void filter_columns(const float* filter, std::size_t stride, std::size_t count, float* to,
                    std::size_t position) {
  constexpr int n = Size + 2;
  constexpr auto& g = Transform<Size>::filter;
  for (std::size_t first = 0; first < count; first += Lanes().size()) {
    const std::size_t some = std::min(Lanes().size(), count - first);
    Lanes taps[3][3] = {}, half[n][3];
    for (std::size_t t = 0; t < 9; ++t)
      for (std::size_t i = 0; i < some; ++i)
        taps[t / 3][t % 3][i] = static_cast<double>(filter[t * stride + first + i]);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < 3; ++c) combine(g[r], taps[0][c], taps[1][c], taps[2][c], half[r][c]);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) {
        Lanes u;
        combine(g[c], half[r][0], half[r][1], half[r][2], u);
        float* at = to + static_cast<std::size_t>(r * n + c) * position + first;
        for (std::size_t i = 0; i < some; ++i) at[i] = static_cast<float>(u[i]);
      }
  }
}

void input_rows(const Winograd& w, std::size_t first, std::size_t last, const float* x,
                const WinogradRows& to) {
  if (w.size == 4) input_tiles<4>(w, first, last, x, to);
  else input_tiles<2>(w, first, last, x, to);
}
void output_rows(const Winograd& w, std::size_t first, std::size_t last, const WinogradRows& m,
                 const float* x, const float* residual, float* y, std::size_t pixel) {
  if (w.size == 4) output_tiles<4>(w, first, last, m, x, residual, y, pixel);
  else output_tiles<2>(w, first, last, m, x, residual, y, pixel);
}

void filter_rows(int size, const float* filter, std::size_t stride, std::size_t n, float* to,
                 std::size_t position) {
  if (size == 4) filter_columns<4>(filter, stride, n, to, position);
  else filter_columns<2>(filter, stride, n, to, position);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(input_rows);
HWY_EXPORT(output_rows);
HWY_EXPORT(filter_rows);

WinogradRows::WinogradRows(std::size_t tiles, std::size_t channels) {
  constexpr std::size_t line = 16;  // floats
  row = (channels + line - 1) / line * line + line;
  position = (tiles * row / line | 1) * line;  // an odd number of lines
}

void winograd_input(const Winograd& w, std::size_t first, std::size_t last, const float* x,
                    const WinogradRows& to) {
  HWY_DYNAMIC_DISPATCH(input_rows)(w, first, last, x, to);
}
void winograd_output(const Winograd& w, std::size_t first, std::size_t last,
                     const WinogradRows& products, const float* x, const float* residual, float* y,
                     std::size_t pixel) {
  HWY_DYNAMIC_DISPATCH(output_rows)(w, first, last, products, x, residual, y, pixel);
}
void winograd_filter(int size, const float* filter, std::size_t stride, std::size_t n, float* to,
                     std::size_t position) {
  HWY_DYNAMIC_DISPATCH(filter_rows)(size, filter, stride, n, to, position);
}

}  // namespace webnn::inline v0_1::simd
#endif
