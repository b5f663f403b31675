#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/grouped.cpp"
#include <hwy/foreach_target.h>

#include <type_traits>

#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/vector/float32/epilogue-inl.h"
#include "src/kernels/simd/vector/float32/grouped.h"
#include "src/kernels/simd/vector/instruction_set.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

template <int N> using Int = std::integral_constant<int, N>;

/// One vector of channels of one or two rows of the result.
struct GroupedRows {
  const float* in[Grouped::max_kernel_h + 1];  // the rows that are read, [columns][inputs]
  const float *w, *bias;
  const float* residual;  // null: none
  float* y;
  std::size_t y_row;
  int inputs;    // channels of a copied pixel
  int channels;  // of the vector, if fewer than lanes
};

/// For lane l, the element l / group * group + i of the vector at p.
template <bool Permute> HWY_INLINE V input_of_group(const float* p, int i, const int* lanes) {
  const D d;
  if constexpr (Permute) {
    const auto index = hn::SetTableIndices(d, lanes + i * vector_lanes);
    return hn::TableLookupLanes(hn::Load(d, p), index);
  } else {
    return hn::Set(d, p[i]);
  }
}

/// Adds the residual to the sums of `rows` x n pixels, and stores the results.
HWY_NOINLINE void store_pixels(const Grouped& g, const GroupedRows& t, int column, int rows, int n,
                               const float* sums) {
  const D d;
  const V lo = hn::Set(d, g.epilogue.lo), hi = hn::Set(d, g.epilogue.hi);
  for (int r = 0; r < rows; ++r) {
    std::size_t at = to_size(r) * t.y_row + to_size(column) * to_size(g.channels);
    for (int i = 0; i < n; ++i, at += to_size(g.channels), sums += vector_lanes) {
      V v = hn::Load(d, sums);
      if (t.residual) v = hn::Add(v, load_some(t.residual + at, t.channels));
      store_some(clamped_result(v, lo, hi), t.y + at, t.channels);
    }
  }
}

// Rows x N adjacent pixels of the result of a filter of Width columns (0: any number). Each input
// is read once for all results of the tile that it is part of, or once for both rows.
template <int Width, int Stride, int Rows, int N, bool Permute>
HWY_NOINLINE void grouped_tile(const Grouped& g, const GroupedRows& t, int column,
                               const int* lanes) {
  const D d;
  constexpr int loads = (N - 1) * Stride + Width;
  const int taps = Width ? Width : g.kernel_w;
  constexpr auto vector = to_size(vector_lanes);
  V sum[Rows][N];
  const V bias = hn::LoadU(d, t.bias);
#pragma GCC unroll 2
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) sum[r][n] = bias;
  const std::size_t line = to_size(g.group) * to_size(taps) * vector;
  // Row k of the filter for the first row of the result, and row k - 1 for the second.
  const auto add = [&]<bool First, bool Second>(int k, std::bool_constant<First>,
                                                std::bool_constant<Second>) HWY_ATTR {
    const float* x = t.in[k] + to_size(column) * Stride * to_size(t.inputs);
    const float* w = t.w + to_size(k) * line;
    for (int i = 0; i < g.group; ++i, w += to_size(taps) * vector) {
      if constexpr (Width == 0) {
        for (int j = 0; j < taps; ++j) {
          const float* f = w + to_size(j) * vector;
          const float* from = x + to_size(j) * to_size(g.dilation_x) * to_size(t.inputs);
          V first, second;
          if constexpr (First) first = hn::Load(d, f);
          if constexpr (Second) second = hn::Load(d, f - line);
#pragma GCC unroll 8
          for (int n = 0; n < N; ++n) {
            const V v =
                input_of_group<Permute>(from + to_size(n) * Stride * to_size(t.inputs), i, lanes);
            if constexpr (First) sum[0][n] = hn::MulAdd(v, first, sum[0][n]);
            if constexpr (Second) sum[Rows - 1][n] = hn::MulAdd(v, second, sum[Rows - 1][n]);
          }
        }
      } else {
        V f[2][Width];
#pragma GCC unroll 3
        for (int j = 0; j < Width; ++j) {
          if constexpr (First) f[0][j] = hn::Load(d, w + to_size(j) * vector);
          if constexpr (Second) f[1][j] = hn::Load(d, w - line + to_size(j) * vector);
        }
#pragma GCC unroll 17
        for (int p = 0; p < loads; ++p) {
          const V v = input_of_group<Permute>(x + to_size(p) * to_size(t.inputs), i, lanes);
#pragma GCC unroll 3
          for (int j = 0; j < Width; ++j) {
            if (p < j || (p - j) % Stride != 0 || (p - j) / Stride >= N) continue;
            const int n = (p - j) / Stride;
            if constexpr (First) sum[0][n] = hn::MulAdd(v, f[0][j], sum[0][n]);
            if constexpr (Second) sum[Rows - 1][n] = hn::MulAdd(v, f[1][j], sum[Rows - 1][n]);
          }
        }
      }
    }
  };
  constexpr std::true_type yes;
  constexpr std::false_type no;
  if constexpr (Rows == 1) {
    for (int k = 0; k < g.kernel_h; ++k) add(k, yes, no);
  } else {
    add(0, yes, no);
    for (int k = 1; k < g.kernel_h; ++k) add(k, yes, yes);
    add(g.kernel_h, no, yes);
  }
  HWY_ALIGN float sums[Rows * N * vector_lanes];
#pragma GCC unroll 2
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) hn::Store(sum[r][n], d, sums + (r * N + n) * vector_lanes);
  store_pixels(g, t, column, Rows, N, sums);
}

template <int Width, int Stride, int Rows, bool Permute>
void grouped_strip(const Grouped& g, const GroupedRows& t, const int* lanes) {
  const auto tile = [&]<int N>(Int<N>, int column) {
    grouped_tile<Width, Stride, Rows, N, Permute>(g, t, column, lanes);
    return column + N;
  };
  const int whole = g.out_width % 8 && g.out_width % 7 == 0 ? 7 : 8;
  for (int column = 0; column < g.out_width;) {
    const int left = g.out_width - column;
    if (left >= whole) column = whole == 7 ? tile(Int<7>(), column) : tile(Int<8>(), column);
    else if (left >= 3) column = tile(Int<3>(), column);
    else column = tile(Int<1>(), column);
  }
}

template <int Width, bool Permute>
void grouped_width(const Grouped& g, const GroupedRows& t, bool two, const int* lanes) {
  if constexpr (vector_registers > 16)
    if (two) return grouped_strip<Width, 1, 2, Permute>(g, t, lanes);
  if (g.stride_x == 2) grouped_strip<Width, 2, 1, Permute>(g, t, lanes);
  else grouped_strip<Width, 1, 1, Permute>(g, t, lanes);
}

template <bool Permute>
void grouped_rows(const Grouped& g, const GroupedRows& t, bool two, const int* lanes) {
  if (g.kernel_w == 3 && g.dilation_x == 1) grouped_width<3, Permute>(g, t, two, lanes);
  else grouped_width<0, Permute>(g, t, two, lanes);
}

/// Some channels of a row of the image, with the padding beside it.
void copy_row(const Grouped& g, const float* x, int channels, int inputs, float* to) {
  const D d;
  const int columns = g.columns();
  for (int i = 0; i < columns; ++i, to += inputs) {
    const int column = i - g.pad_left;
    const bool inside = column >= 0 && column < g.width;
    for (int c = 0; c < inputs; c += vector_lanes)
      hn::Store(
          inside && c < channels
              ? load_some(x + to_size(column) * to_size(g.channels) + to_size(c), channels - c)
              : hn::Zero(d),
          d, to + c);
  }
}

// The rows of the image that the next rows of the result read are copied into a ring buffer, so
// that they are in L1 and at no distance at which they would evict each other.
void grouped_block(const Grouped& g, int block, int first, int last, const float* x, float* y,
                   const float* residual, float* scratch) {
  const int inputs = g.block(), c0 = block * inputs, count = std::min(inputs, g.channels - c0);
  const int ring = g.ring();
  const std::size_t row = to_size(g.columns()) * to_size(inputs);
  const std::size_t x_row = to_size(g.width) * to_size(g.channels),
                    y_row = to_size(g.out_width) * to_size(g.channels);
  float* padding = scratch + to_size(ring) * row;
  std::fill_n(padding, row, 0.0F);
  const bool permute = g.group < vector_lanes;
  HWY_ALIGN int lanes[vector_lanes * vector_lanes] = {};
  for (int i = 0; permute && i < g.group; ++i)
    for (int l = 0; l < vector_lanes; ++l) lanes[i * vector_lanes + l] = l / g.group * g.group + i;
  const std::size_t vector =
      to_size(g.kernel_h) * to_size(g.group) * to_size(g.kernel_w) * to_size(vector_lanes);
  const bool pairs =
      vector_registers > 16 && g.stride_y == 1 && g.stride_x == 1 && g.dilation_y == 1;
  int ready = std::max(0, first * g.stride_y - g.pad_top);
  for (int r = first; r < last;) {
    const int rows = pairs && r + 2 <= last ? 2 : 1;
    GroupedRows t;
    for (int k = 0; k < g.kernel_h + rows - 1; ++k) {
      const int at = r * g.stride_y - g.pad_top + k * g.dilation_y;
      const bool inside = at >= 0 && at < g.height;
      for (; inside && ready <= at; ++ready)
        copy_row(g, x + to_size(ready) * x_row + to_size(c0), count, inputs,
                 scratch + to_size(ready % ring) * row);
      t.in[k] = inside ? scratch + to_size(at % ring) * row : padding;
    }
    for (int c = 0; c < count; c += vector_lanes) {
      const std::size_t at = to_size(r) * y_row + to_size(c0 + c);
      t.w = g.w + to_size(block) * g.weights() + to_size(c / vector_lanes) * vector;
      t.bias = g.bias + c0 + c;
      t.residual = residual ? residual + at : nullptr;
      t.y = y + at;
      t.y_row = y_row;
      t.inputs = inputs;
      t.channels = count - c;
      if (permute) grouped_rows<true>(g, t, rows == 2, lanes);
      else grouped_rows<false>(g, t, rows == 2, lanes);
      const auto n = to_size(std::min(vector_lanes, count - c));
      for (int i = 0; !g.epilogue.clamps() && i < rows; ++i)
        activate(g.epilogue, g.out_width, n, to_size(g.channels), t.y + to_size(i) * y_row);
    }
    r += rows;
  }
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(grouped_block);

bool Grouped::supported() const {
  const bool whole = group > 1 && (lanes() % group == 0 || group % lanes() == 0);
  return whole && kernel_h <= max_kernel_h && (stride_x == 1 || stride_x == 2);
}
int Grouped::block() const { return std::max(group, lanes()); }
std::size_t Grouped::weights() const {
  return to_size(block()) * to_size(kernel_h) * to_size(group) * to_size(kernel_w);
}
std::size_t Grouped::scratch() const {
  return to_size(ring() + 1) * to_size(columns()) * to_size(block());
}
void grouped_conv(const Grouped& g, int block, int first, int last, const float* x, float* y,
                  const float* residual, float* scratch) {
  HWY_DYNAMIC_DISPATCH(grouped_block)(g, block, first, last, x, y, residual, scratch);
}
}  // namespace webnn::inline v0_1::simd
#endif
