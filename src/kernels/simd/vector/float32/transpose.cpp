#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/transpose.cpp"
#include "src/kernels/simd/vector/float32/transpose.h"

#include <hwy/foreach_target.h>

#include <algorithm>
#include <cstring>

#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

void interleave_rows(const float* x, std::size_t x_row, std::size_t rows, std::size_t columns,
                     float* y) {
  std::size_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  const D d;
  const auto load = [&](std::size_t i) { return hn::LoadU(d, x + i * x_row + j); };
  for (; j + vector_lanes <= columns; j += vector_lanes) {
    float* to = y + j * rows;
    if (rows == 2) hn::StoreInterleaved2(load(0), load(1), d, to);
    else if (rows == 3) hn::StoreInterleaved3(load(0), load(1), load(2), d, to);
    else hn::StoreInterleaved4(load(0), load(1), load(2), load(3), d, to);
  }
#endif
  for (; j < columns; ++j)
    for (std::size_t i = 0; i < rows; ++i) y[j * rows + i] = x[i * x_row + j];
}

#if HWY_TARGET == HWY_SCALAR
void transpose_square(const V* x, float* y, std::size_t) { *y = hn::GetLane(*x); }
#else

/// Transposes the blocks of 128 bits of four vectors, each as 4x4 lanes.
HWY_INLINE void transpose_blocks(const V* x, V* y) {
  const D d;
  const hn::RepartitionToWide<D> pairs;
  const auto a = hn::BitCast(pairs, hn::InterleaveLower(d, x[0], x[1]));
  const auto b = hn::BitCast(pairs, hn::InterleaveUpper(d, x[0], x[1]));
  const auto c = hn::BitCast(pairs, hn::InterleaveLower(d, x[2], x[3]));
  const auto e = hn::BitCast(pairs, hn::InterleaveUpper(d, x[2], x[3]));
  y[0] = hn::BitCast(d, hn::InterleaveLower(pairs, a, c));
  y[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, a, c));
  y[2] = hn::BitCast(d, hn::InterleaveLower(pairs, b, e));
  y[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, b, e));
}

/// y[j * y_row + i] = lane j of x[i]; as many vectors as lanes.
HWY_INLINE void transpose_square(const V* x, float* y, std::size_t y_row) {
  static_assert(vector_lanes == 4 || vector_lanes == 8 || vector_lanes == 16);
  const D d;
  V t[vector_lanes];  // of each four rows: block q of vector j is column 4 q + j
  for (int i = 0; i < vector_lanes; i += 4) transpose_blocks(x + i, t + i);
  for (int j = 0; j < 4; ++j) {
    const auto store = [&](int q, V v) {
      hn::StoreU(v, d, y + static_cast<std::size_t>(4 * q + j) * y_row);
    };
    if constexpr (vector_lanes == 4) {
      store(0, t[j]);
    } else if constexpr (vector_lanes == 8) {
      store(0, hn::ConcatLowerLower(d, t[4 + j], t[j]));
      store(1, hn::ConcatUpperUpper(d, t[4 + j], t[j]));
    } else {
      const auto even = [](V lo, V hi) {
        return hn::OddEvenBlocks(hn::SwapAdjacentBlocks(hi), lo);
      };
      const auto odd = [](V lo, V hi) { return hn::OddEvenBlocks(hi, hn::SwapAdjacentBlocks(lo)); };
      const V even0 = even(t[j], t[4 + j]), even1 = even(t[8 + j], t[12 + j]);
      const V odd0 = odd(t[j], t[4 + j]), odd1 = odd(t[8 + j], t[12 + j]);
      store(0, hn::ConcatLowerLower(d, even1, even0));
      store(1, hn::ConcatLowerLower(d, odd1, odd0));
      store(2, hn::ConcatUpperUpper(d, even1, even0));
      store(3, hn::ConcatUpperUpper(d, odd1, odd0));
    }
  }
}
#endif

// Rows whose distance is a power of two share few sets of the cache: each cache line is read
// completely at once, and results are collected in scratch, from which several lines of each row
// are written at a time.
constexpr std::size_t scratch_pitch = max_transpose_rows + 16;

void transpose_strip(const float* x, std::size_t x_row, std::size_t rows, std::size_t columns,
                     float* y, std::size_t y_row, float* scratch) {
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  std::size_t i = 0;
  if (columns == lanes)
    for (; i + lanes <= rows; i += lanes) {
      V v[lanes];
      for (std::size_t k = 0; k < lanes; ++k) v[k] = hn::LoadU(D(), x + (i + k) * x_row);
      transpose_square(v, scratch + i, scratch_pitch);
    }
  for (; i < rows; i += lanes) {
    V v[lanes];
    for (std::size_t k = 0; k < lanes; ++k)
      v[k] =
          i + k < rows ? load_some(x + (i + k) * x_row, static_cast<int>(columns)) : hn::Zero(D());
    transpose_square(v, scratch + i, scratch_pitch);
  }
  for (std::size_t j = 0; j < columns; ++j)
    std::memcpy(y + j * y_row, scratch + j * scratch_pitch, rows * sizeof(float));
}

std::size_t strip_scratch() { return vector_lanes * scratch_pitch * sizeof(float); }

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(interleave_rows);
void interleave(const float* x, std::size_t x_row, std::size_t rows, std::size_t columns,
                float* y) {
  HWY_DYNAMIC_DISPATCH(interleave_rows)(x, x_row, rows, columns, y);
}
HWY_EXPORT(transpose_strip);
void transpose_rows(const float* x, std::size_t x_row, std::size_t rows, std::size_t columns,
                    float* y, std::size_t y_row, float* scratch) {
  HWY_DYNAMIC_DISPATCH(transpose_strip)(x, x_row, rows, columns, y, y_row, scratch);
}
HWY_EXPORT(strip_scratch);
std::size_t transpose_scratch() { return HWY_DYNAMIC_DISPATCH(strip_scratch)(); }
}  // namespace webnn::inline v0_1::simd
#endif
