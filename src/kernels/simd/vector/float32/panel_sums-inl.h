// Sums of a block of rows and vector columns in registers: where they begin and where they go. One
// copy per target.
#if defined(WEBNN_SIMD_PANEL_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_PANEL_SUMS_INL_H
#undef WEBNN_SIMD_PANEL_SUMS_INL_H
#else
#define WEBNN_SIMD_PANEL_SUMS_INL_H
#endif
#include "src/kernels/simd/vector/float32/block_copy-inl.h"
#include "src/kernels/simd/vector/float32/epilogue-inl.h"
#include "src/kernels/simd/vector/float32/panels.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

struct PanelSums {
  const float* bias;  ///< null: the sums begin with y
  float* y;
  std::size_t y_stride;
  const float* residual;  ///< added first
  int left;               ///< columns from the first one of the group on
  const Epilogue* clamp;  ///< null: more terms follow
};

/// The sums of a panel. g: a PanelProduct or a SmallProduct; y and residual point at column 0.
template <class Product>
PanelSums sums_of(const Product& g, const PanelLayout& p, std::size_t block, int group, float* y,
                  const float* residual) {
  const bool begins = block == 0, ends = block + 1 == p.blocks();
  const int column = p.first_column(group);
  return {.bias = begins && !g.accumulate ? g.bias + column : nullptr,
          .y = y + column,
          .y_stride = g.y_stride,
          .residual = begins && residual ? residual + column : nullptr,
          .left = p.columns - column,
          .clamp = ends ? &g.epilogue : nullptr};
}
/// The same for other rows, `rows` rows below.
HWY_INLINE PanelSums below(PanelSums s, std::size_t rows) {
  s.y += rows * s.y_stride;
  if (s.residual) s.residual += rows * s.y_stride;
  return s;
}

// The sums are passed as pointers: GCC 12 fails on references to arrays of one vector.
template <int Rows, int Columns> HWY_INLINE void load_sums(const PanelSums& s, V (*acc)[Columns]) {
  const D d;
  constexpr auto n = static_cast<std::size_t>(vector_lanes);
  BlockCopy<Rows, Columns> copy;
  const auto each = [&](const float* from, auto f) HWY_ATTR {  // f(sum, the place of its vector)
    const BlockOf<const float> block = copy.read(from, s.y_stride, s.left);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) f(acc[r][c], block.at(r) + c * n);
  };
  if (s.bias) {
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) {
      const V bias = hn::LoadU(d, s.bias + c * n);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) acc[r][c] = bias;
    }
  } else {
    each(s.y, [&](V& sum, const float* from) HWY_ATTR { sum = hn::LoadU(d, from); });
  }
  if (s.residual)
    each(s.residual,
         [&](V& sum, const float* from) HWY_ATTR { sum = hn::Add(sum, hn::LoadU(d, from)); });
}

template <int Rows, int Columns> HWY_INLINE void store_sums(const PanelSums& s, V (*acc)[Columns]) {
  const D d;
  constexpr auto n = static_cast<std::size_t>(vector_lanes);
  if (s.clamp) clamp_sums<Rows>(*s.clamp, acc);
  BlockCopy<Rows, Columns> copy;
  const BlockOf<float> block = copy.place(s.y, s.y_stride, s.left);
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) hn::StoreU(acc[r][c], d, block.at(r) + c * n);
  copy.write();
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
