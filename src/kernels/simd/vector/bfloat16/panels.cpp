#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/bfloat16/panels.cpp"
#include "src/kernels/simd/vector/bfloat16/panels.h"

#include <hwy/foreach_target.h>

#include <algorithm>
#include <array>
#include <utility>

#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/vector/bfloat16/pairs-inl.h"
#include "src/kernels/simd/vector/bfloat16/tiles.h"
#include "src/kernels/simd/vector/float32/panel_sums-inl.h"
#include "src/kernels/simd/vector/register_rows.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if !WEBNN_HAS_PAIRS

// Not called: bfloat16_products() says so.
void multiply_chunk_of_pairs(const PairProduct&, const PairChunk&, std::size_t, int, int, bool) {}
void multiply_row_of_pairs(const PairProduct&, const std::uint32_t*, int, int, float*,
                           const float*) {}

#else

template <int Columns>
inline constexpr int pair_block_rows = float_block_rows(vector_registers, Columns);

constexpr std::size_t line_of_pairs = 16;  // pairs in a cache line

/// A block of rows in registers.
struct PairBlock {
  const std::uint32_t *x, *w;
  std::size_t x_stride;
  PairTerms terms;
  PanelSums sums;
  const std::uint32_t* next;  ///< the share of this block in the next panel ...
  std::size_t step;           ///< ... and the pairs to prefetch for each pair
};

/// Lines: cache lines to prefetch for each pair.
template <int Rows, int Columns, int Lines, bool Native>
HWY_NOINLINE void pair_block(const PairBlock& b) {
  const DP d;
  constexpr auto n = static_cast<std::size_t>(vector_lanes);
  V acc[Rows][Columns];
  load_sums<Rows, Columns>(b.sums, acc);
  const std::uint32_t *w = b.w, *next = b.next, *segment = b.x;
  for (std::size_t s = b.terms.segments; s > 0; --s, segment += b.terms.stride) {
    const std::uint32_t* x = segment;
    for (std::size_t k = b.terms.each; k > 0; --k, ++x, w += Columns * n, next += b.step) {
#pragma GCC unroll 4
      for (int i = 0; i < Lines; ++i) __builtin_prefetch(next + i * line_of_pairs, 0, 2);
      VP v[Columns];
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) v[c] = hn::LoadU(d, w + c * n);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        const VP a = hn::Set(d, x[static_cast<std::size_t>(r) * b.x_stride]);
#pragma GCC unroll 4
        for (int c = 0; c < Columns; ++c) acc[r][c] = add_pairs<Native>(acc[r][c], a, v[c]);
      }
    }
  }
  store_sums<Rows, Columns>(b.sums, acc);
}

using PairKernel = void (*)(const PairBlock&);
template <int Columns, int Lines, bool Native, int... R>
constexpr auto pair_blocks(std::integer_sequence<int, R...>) {
  return std::array<PairKernel, sizeof...(R)>{pair_block<R + 1, Columns, Lines, Native>...};
}
template <int Columns, int Lines, bool Native> PairKernel pair_kernel(std::size_t rows) {
  static constexpr auto all = pair_blocks<Columns, Lines, Native>(
      std::make_integer_sequence<int, pair_block_rows<Columns> >());
  return all[rows - 1];
}
template <int Columns> PairKernel pair_kernel(bool native, bool lines, std::size_t rows) {
  if (!native) return pair_kernel<Columns, 1, false>(rows);
  return lines ? pair_kernel<Columns, Columns, true>(rows) : pair_kernel<Columns, 1, true>(rows);
}

/// What is fetched meanwhile, in words.
struct NextPairs {
  const std::uint32_t* w = nullptr;
  std::size_t size = 0;
};

/// The part of the next rows that a group fetches.
NextPairs part_of(std::span<const float> rows, std::size_t i, std::size_t groups) {
  const std::size_t begin = rows.size() * i / groups, end = rows.size() * (i + 1) / groups;
  return {reinterpret_cast<const std::uint32_t*>(rows.data()) + begin, end - begin};
}

/// All rows of one panel, in blocks of nearly equal height.
template <int Columns>
void multiply_pair_panel(const PairProduct& g, const PairChunk& chunk, std::size_t kb, int group,
                         NextPairs next) {
  constexpr auto most = static_cast<std::size_t>(pair_block_rows<Columns>);
  const PanelLayout& p = g.layout;
  const bool ends = kb + 1 == p.blocks();
  const bool native = !are_emulated(g.products);
  const std::size_t pairs = p.block_size(kb);
  std::size_t blocks = 0, done = 0;
  for (const PairRun& run : chunk.runs) blocks += (run.count + most - 1) / most;
  const PanelSums sums = sums_of(g, p, kb, group, chunk.y, chunk.residual);
  const std::size_t width = static_cast<std::size_t>(std::min(sums.left, Columns * vector_lanes));
  PairBlock b{.x = nullptr,
              .w = g.w + p.offset(kb, group),
              .x_stride = chunk.stride,
              .terms = chunk.terms,
              .sums = sums,
              .next = nullptr,
              // Each block fetches its share of the next panel while it works.
              .step = next.w ? (next.size / blocks + pairs - 1) / pairs : 0};
  const bool lines = b.step > line_of_pairs;  // few blocks, each with a large share
  for (const PairRun& run : chunk.runs) {
    const std::size_t count = (run.count + most - 1) / most;
    for (std::size_t i = 0; i < count; ++i, ++done) {
      const std::size_t r = run.count * i / count, rows = run.count * (i + 1) / count - r;
      b.x = run.x + r * chunk.stride;
      b.sums = below(sums, run.first + r);
      b.next = next.w ? next.w + std::min(done * b.step * pairs, next.size) : b.w;
      pair_kernel<Columns>(native, lines, rows)(b);
      if (ends && !g.epilogue.clamps())
        activate(g.epilogue, static_cast<int>(rows), width, b.sums.y_stride, b.sums.y);
    }
  }
}

void multiply_chunk_of_pairs(const PairProduct& g, const PairChunk& chunk, std::size_t kb,
                             int first, int last, bool again) {
  const PanelLayout& p = g.layout;
  const bool ends = kb + 1 == p.blocks();
  for (int group = first; group < last; ++group) {
    NextPairs next;
    if (!chunk.next.empty()) {
      next = part_of(chunk.next, static_cast<std::size_t>(group - first),
                     static_cast<std::size_t>(last - first));
    } else if (group + 1 < last || !ends || again) {
      const std::size_t b = group + 1 < last ? kb : ends ? 0 : kb + 1;
      const int then = group + 1 < last ? group + 1 : first;
      next = {g.w + p.offset(b, then),
              p.block_size(b) * static_cast<std::size_t>(p.group_vectors(then) * vector_lanes)};
    }
    switch (p.group_vectors(group)) {
      case 3: multiply_pair_panel<3>(g, chunk, kb, group, next); break;
      case 2: multiply_pair_panel<2>(g, chunk, kb, group, next); break;
      default: multiply_pair_panel<1>(g, chunk, kb, group, next);
    }
  }
}

/// One row of one group. Four sums of each vector hide the latency.
template <int Columns, bool Native>
void pair_row(const PairProduct& g, const std::uint32_t* x, int group, float* y,
              const float* residual) {
  const D d;
  const DP dp;
  constexpr auto n = static_cast<std::size_t>(vector_lanes);
  constexpr int parts = 4;
  const PanelLayout& p = g.layout;
  V sum[parts][Columns];
#pragma GCC unroll 4
  for (int i = 0; i < parts; ++i)
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) sum[i][c] = hn::Zero(d);
  for (std::size_t kb = 0; kb < p.blocks(); ++kb, x += p.block) {
    const std::uint32_t* w = g.w + p.offset(kb, group);
    const std::size_t pairs = p.block_size(kb);
    std::size_t k = 0;
    for (; k + parts <= pairs; k += parts, w += parts * Columns * n)
#pragma GCC unroll 4
      for (int i = 0; i < parts; ++i) {
        const VP a = hn::Set(dp, x[k + static_cast<std::size_t>(i)]);
#pragma GCC unroll 4
        for (int c = 0; c < Columns; ++c)
          sum[i][c] = add_pairs<Native>(
              sum[i][c], a, hn::LoadU(dp, w + static_cast<std::size_t>(i * Columns + c) * n));
      }
    for (; k < pairs; ++k, w += Columns * n)
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c)
        sum[0][c] = add_pairs<Native>(sum[0][c], hn::Set(dp, x[k]),
                                      hn::LoadU(dp, w + static_cast<std::size_t>(c) * n));
  }
  const int column = p.first_column(group), left = p.columns - column;
  const V lo = hn::Set(d, g.epilogue.lo), hi = hn::Set(d, g.epilogue.hi);
#pragma GCC unroll 4
  for (int c = 0; c < Columns; ++c) {
    const int some = left - c * vector_lanes;
    if (some <= 0) break;
    const std::size_t at = static_cast<std::size_t>(column + c * vector_lanes);
    V v = hn::Add(hn::Add(sum[0][c], sum[1][c]), hn::Add(sum[2][c], sum[3][c]));
    v = hn::Add(v, g.accumulate ? load_some(y + at, some) : hn::LoadU(d, g.bias + at));
    if (residual) v = hn::Add(v, load_some(residual + at, some));
    store_some(clamped_result(v, lo, hi), y + at, some);
  }
  if (g.epilogue.clamps()) return;
  activate(g.epilogue, 1, static_cast<std::size_t>(std::min(left, Columns * vector_lanes)), 0,
           y + column);
}

template <bool Native>
void pair_row_groups(const PairProduct& g, const std::uint32_t* x, int first, int last, float* y,
                     const float* residual) {
  for (int group = first; group < last; ++group) switch (g.layout.group_vectors(group)) {
      case 3: pair_row<3, Native>(g, x, group, y, residual); break;
      case 2: pair_row<2, Native>(g, x, group, y, residual); break;
      default: pair_row<1, Native>(g, x, group, y, residual);
    }
}
void multiply_row_of_pairs(const PairProduct& g, const std::uint32_t* x, int first, int last,
                           float* y, const float* residual) {
  if (are_emulated(g.products)) return pair_row_groups<false>(g, x, first, last, y, residual);
  pair_row_groups<true>(g, x, first, last, y, residual);
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(multiply_chunk_of_pairs);
HWY_EXPORT(multiply_row_of_pairs);

namespace {

constexpr std::size_t padding = 16, rows_together = 16;
std::size_t pitch_of(const PanelLayout& p) { return std::min(p.block, p.k) + padding; }
/// Bytes of the floats of a few rows, before they are converted.
std::size_t float_pitch(const PanelLayout& p) { return 2 * std::min(p.block, p.k) + padding; }

/// How many rows to convert at a time, so that those of the next chunk can be fetched while this
/// one is multiplied; 0 where it does not matter or weights are fetched in their place. The weights
/// stay in L2, and so do two chunks.
std::size_t rows_ahead(const PanelLayout& p, std::size_t k, const PanelRows& in) {
  constexpr std::size_t small_weights = 32 << 10, floats = 32 << 10;
  if (in.copy || in.stride != k || p.blocks() > 1 || p.size() > small_weights) return 0;
  constexpr std::size_t whole = std::size_t{float_block_rows(32, 2)} * float_block_rows(32, 3);
  return std::max<std::size_t>(floats / k / whole, 1) * whole;
}

}  // namespace

PanelLayout pair_layout(Bfloat16Products products, std::size_t k, int columns) {
  if (!are_tiles(products)) return PanelLayout(pairs_of(k), columns);
  PanelLayout p(round_up(pairs_of(k), pairs_of_step), columns);
  p.block = round_up(p.block, pairs_of_step);
  return p;
}

std::size_t pair_rows(const PanelLayout& p) { return panel_chunk(p); }
std::size_t pair_scratch(const PanelLayout& p, std::size_t rows, bool copies) {
  return std::min(rows, pair_rows(p)) * pitch_of(p) * sizeof(std::uint32_t) +
         (copies ? rows_together * float_pitch(p) * sizeof(float) : 0);
}

void multiply_pair_chunk(const PairProduct& g, const PairChunk& chunk, std::size_t block, int first,
                         int last, bool again) {
  if (are_tiles(g.products) && chunk.terms.each % pairs_of_step == 0)
    return multiply_tile_chunk(g, chunk, block, first, last);
  HWY_DYNAMIC_DISPATCH(multiply_chunk_of_pairs)(g, chunk, block, first, last, again);
}

void multiply_pairs(const PairProduct& g, std::size_t k, const PanelRows& in, std::size_t row,
                    std::size_t rows, int first, int last, float* y, const float* residual,
                    std::byte* scratch) {
  const PanelLayout& p = g.layout;
  const std::size_t ahead = rows_ahead(p, k, in), pitch = pitch_of(p),
                    most = ahead ? std::min(ahead, pair_rows(p)) : pair_rows(p),
                    chunks = (rows + most - 1) / most;
  auto* const pairs = reinterpret_cast<std::uint32_t*>(scratch);
  auto* const floats = reinterpret_cast<float*>(pairs + std::min(rows, most) * pitch);
  for (std::size_t i = 0; i < chunks; ++i) {
    const std::size_t r = rows * i / chunks, count = rows * (i + 1) / chunks - r;
    const std::size_t at = r * g.y_stride;
    for (std::size_t kb = 0; kb < p.blocks(); ++kb) {
      const std::size_t begin = 2 * kb * p.block, n = std::min(2 * p.block_size(kb), k - begin);
      if (!in.copy) {
        convert_rows(g.products, in.x + (row + r) * in.stride + begin, in.stride, count, n, pairs,
                     pitch);
      } else {
        for (std::size_t done = 0; done < count; done += rows_together) {
          const std::size_t some = std::min(rows_together, count - done);
          in.copy(in, row + r + done, some, begin, n, floats, float_pitch(p));
          convert_rows(g.products, floats, float_pitch(p), some, n, pairs + done * pitch, pitch);
        }
      }
      if (const std::size_t end = pairs_of(n); end < p.block_size(kb))
        for (std::size_t at_row = 0; at_row < count; ++at_row)
          std::fill(pairs + at_row * pitch + end, pairs + at_row * pitch + p.block_size(kb), 0u);
      const PairRun run{pairs, 0, count};
      PairChunk chunk{.runs = {&run, 1},
                      .stride = pitch,
                      .terms = {.each = p.block_size(kb)},
                      .y = y + at,
                      .residual = residual ? residual + at : nullptr};
      if (ahead && i + 1 < chunks)
        chunk.next = {in.x + (row + r + count) * k, (rows * (i + 2) / chunks - r - count) * k};
      multiply_pair_chunk(g, chunk, kb, first, last, i + 1 < chunks);
    }
  }
}

void multiply_pair_row(const PairProduct& g, std::size_t k, const float* x, int first, int last,
                       float* y, const float* residual, std::uint32_t* scratch) {
  convert_rows(g.products, x, 0, 1, k, scratch, 0);
  std::fill(scratch + pairs_of(k), scratch + g.layout.k, 0u);
  HWY_DYNAMIC_DISPATCH(multiply_row_of_pairs)(g, scratch, first, last, y, residual);
}

}  // namespace webnn::inline v0_1::simd
#endif
