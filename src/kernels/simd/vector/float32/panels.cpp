#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/panels.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <array>
#include <utility>

#include "src/kernels/simd/vector/float32/panel_sums-inl.h"
#include "src/kernels/simd/vector/float32/small_panels.h"
#include "src/kernels/simd/vector/register_rows.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// A single column is a narrow product by itself: more than 8 rows are not faster.
template <int Columns>
inline constexpr int block_rows = Columns > 1 ? float_block_rows(vector_registers, Columns)
                                              : std::min(8, float_block_rows(vector_registers, 1));
int panel_block_rows() { return block_rows<3>; }
int panel_lanes() { return vector_lanes; }

constexpr int cache_line = 16;  // floats
template <int Columns>
inline constexpr int panel_lines = (Columns * vector_lanes + cache_line - 1) / cache_line;

/// A block of rows in registers.
struct PanelBlock {
  const float *x, *w;
  std::size_t x_stride, k;
  PanelSums sums;
  const float* next;  ///< the share of this block in the next panel ...
  std::size_t step;   ///< ... and the floats to prefetch for each k, up to a vector for each column
};

template <int Rows, int Columns> HWY_NOINLINE void panel_block(const PanelBlock& b) {
  const D d;
  constexpr auto n = static_cast<std::size_t>(vector_lanes);
  V acc[Rows][Columns];
  load_sums<Rows, Columns>(b.sums, acc);
  const float *w = b.w, *x = b.x, *next = b.next;
  for (std::size_t k = b.k; k > 0; --k, ++x, w += Columns * n, next += b.step) {
    // Where the share is smaller, a line is fetched again: blocks of many rows wait for sums.
#pragma GCC unroll 4
    for (int i = 0; i < panel_lines<Columns>; ++i) __builtin_prefetch(next + i * cache_line, 0, 2);
    V v[Columns];
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) v[c] = hn::LoadU(d, w + c * n);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      V a = hn::Set(d, x[static_cast<std::size_t>(r) * b.x_stride]);
      keep(a);
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) acc[r][c] = hn::MulAdd(a, v[c], acc[r][c]);
    }
  }
  store_sums<Rows, Columns>(b.sums, acc);
}

using PanelKernel = void (*)(const PanelBlock&);
template <int Columns, int... R> constexpr auto panel_blocks(std::integer_sequence<int, R...>) {
  return std::array<PanelKernel, sizeof...(R)>{panel_block<R + 1, Columns>...};
}
template <int Columns> PanelKernel panel_kernel(std::size_t rows) {
  static constexpr auto all =
      panel_blocks<Columns>(std::make_integer_sequence<int, block_rows<Columns>>());
  return all[rows - 1];
}

/// All rows of one panel, in blocks of nearly equal height.
template <int Columns>
void run_panel(const PanelBlock& first, const Epilogue* activation, std::size_t rows,
               const float* next, std::size_t next_size) {
  const auto most = static_cast<std::size_t>(block_rows<Columns>);
  const std::size_t blocks = (rows + most - 1) / most;
  const std::size_t width =
      static_cast<std::size_t>(std::min(first.sums.left, Columns * vector_lanes));
  PanelBlock b = first;
  // Each block fetches its share of the next panel while it works.
  b.step = next ? (next_size / blocks + b.k - 1) / b.k : 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t r = rows * i / blocks, count = rows * (i + 1) / blocks - r;
    b.x = first.x + r * b.x_stride;
    b.sums = below(first.sums, r);
    b.next = next ? next + std::min(i * b.step * b.k, next_size) : first.w;
    panel_kernel<Columns>(count)(b);
    if (activation)
      activate(*activation, static_cast<int>(count), width, b.sums.y_stride, b.sums.y);
  }
}

void multiply_panel(const PanelProduct& g, const float* w, NextPanel next, const PanelChunk& rows,
                    std::size_t kb, int group) {
  const PanelLayout& p = g.layout;
  const PanelBlock b{.x = rows.x,
                     .w = w,
                     .x_stride = rows.stride,
                     .k = p.block_size(kb),
                     .sums = sums_of(g, p, kb, group, rows.y, rows.residual),
                     .next = nullptr,
                     .step = 0};
  const bool ends = kb + 1 == p.blocks();
  const Epilogue* activation = ends && !g.epilogue.clamps() ? &g.epilogue : nullptr;
  const int vectors = p.group_vectors(group);
  if (vectors == 3) run_panel<3>(b, activation, rows.count, next.w, next.size);
  else if (vectors == 2) run_panel<2>(b, activation, rows.count, next.w, next.size);
  else run_panel<1>(b, activation, rows.count, next.w, next.size);
}

void multiply_chunk(const PanelProduct& g, const PanelChunk& rows, std::size_t kb, int first,
                    int last, bool again) {
  const PanelLayout& p = g.layout;
  const bool ends = kb + 1 == p.blocks();
  for (int group = first; group < last; ++group) {
    NextPanel next;
    if (group + 1 < last || !ends || again) {
      const std::size_t b = group + 1 < last ? kb : ends ? 0 : kb + 1;
      const int then = group + 1 < last ? group + 1 : first;
      next = {g.w + p.offset(b, then),
              p.block_size(b) * static_cast<std::size_t>(p.group_vectors(then) * vector_lanes)};
    }
    multiply_panel(g, g.w + p.offset(kb, group), next, rows, kb, group);
  }
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(panel_block_rows);
HWY_EXPORT(panel_lanes);
HWY_EXPORT(multiply_panel);
HWY_EXPORT(multiply_chunk);

namespace {

constexpr std::size_t max_block = 512, padding = 16;
std::size_t pitch_of(const PanelLayout& p) { return std::min(p.block, p.k) + padding; }

}  // namespace

PanelLayout::PanelLayout(std::size_t k, int columns)
    : k(k), columns(columns), lanes(HWY_DYNAMIC_DISPATCH(panel_lanes)()) {
  const std::size_t n = (k + max_block - 1) / max_block;
  block = std::max<std::size_t>((k + n - 1) / n, 1);
  vectors = (columns + lanes - 1) / lanes;
  // 3a + 2b vectors.
  const int twos = vectors < 2 ? 0 : vectors % 3 == 0 ? 0 : vectors % 3 == 2 ? 1 : 2;
  wide_groups = vectors < 2 ? 0 : (vectors - 2 * twos) / 3;
  groups = vectors < 2 ? vectors : wide_groups + twos;
}

int panel_rows() { return HWY_DYNAMIC_DISPATCH(panel_block_rows)(); }

std::size_t panel_chunk(const PanelLayout& p) {
  constexpr std::size_t floats = 96 << 10;  // a part of L2
  const auto most = static_cast<std::size_t>(panel_rows());
  return std::max<std::size_t>(floats / pitch_of(p) / most, 1) * most;
}
std::size_t panel_scratch(const PanelLayout& p, std::size_t rows) {
  return std::min(rows, panel_chunk(p)) * pitch_of(p);
}

namespace {

/// f(rows, block of k, whether more rows follow) for the rows [0, rows), a chunk at a time.
template <class F>
void for_chunks(const PanelLayout& layout, const PanelRows& in, std::size_t row, std::size_t rows,
                std::size_t y_stride, float* y, const float* residual, float* scratch, F f) {
  const std::size_t chunks = (rows + panel_chunk(layout) - 1) / panel_chunk(layout);
  for (std::size_t i = 0; i < chunks; ++i) {
    const std::size_t r = rows * i / chunks, count = rows * (i + 1) / chunks - r;
    const std::size_t at = r * y_stride;
    for (std::size_t kb = 0; kb < layout.blocks(); ++kb) {
      PanelChunk chunk{in.x + (row + r) * in.stride + kb * layout.block, in.stride, count, y + at,
                       residual ? residual + at : nullptr};
      if (in.copy) {
        chunk.stride = pitch_of(layout);
        in.copy(in, row + r, count, kb * layout.block, layout.block_size(kb), scratch,
                chunk.stride);
        chunk.x = scratch;
      }
      f(chunk, kb, i + 1 < chunks);
    }
  }
}

/// The bytes of a panel, to be fetched as if they were floats; none behind the last block.
NextPanel next_panel(const SmallPanels& p, std::size_t block, int group) {
  if (block >= p.layout.blocks()) return {};
  const auto columns = static_cast<std::size_t>(p.layout.group_vectors(group) * p.layout.lanes);
  return {reinterpret_cast<const float*>(p.bytes + p.offset(block, group)),
          p.block_bytes(block) * columns / sizeof(float)};
}

}  // namespace

void multiply_panels(const PanelProduct& g, const PanelRows& in, std::size_t row, std::size_t rows,
                     int first, int last, float* y, const float* residual, float* scratch) {
  for_chunks(g.layout, in, row, rows, g.y_stride, y, residual, scratch,
             [&](const PanelChunk& chunk, std::size_t kb, bool again) {
               HWY_DYNAMIC_DISPATCH(multiply_chunk)(g, chunk, kb, first, last, again);
             });
}

std::size_t small_panel_floats(const PanelLayout& p) {
  return std::min(p.block, p.k) * static_cast<std::size_t>(3 * p.lanes);
}

void multiply_small_panels(const SmallProduct& g, const PanelRows& in, std::size_t row,
                           std::size_t rows, int first, int last, float* y, const float* residual,
                           float* scratch) {
  float* panel = scratch;
  const PanelLayout& layout = g.weights.layout;
  const PanelProduct floats{.bias = g.bias,
                            .layout = layout,
                            .y_stride = g.y_stride,
                            .epilogue = g.epilogue,
                            .accumulate = g.accumulate};
  for_chunks(layout, in, row, rows, g.y_stride, y, residual, scratch + small_panel_floats(layout),
             [&](const PanelChunk& chunk, std::size_t kb, bool) {
               for (int group = first; group < last; ++group) {
                 expand_panel(g.weights, kb, group, panel);
                 const bool more = group + 1 < last;
                 HWY_DYNAMIC_DISPATCH(multiply_panel)
                 (floats, panel,
                  next_panel(g.weights, more ? kb : kb + 1, more ? group + 1 : first), chunk, kb,
                  group);
               }
             });
}

}  // namespace webnn::inline v0_1::simd
#endif
