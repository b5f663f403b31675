#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/unpacked_gemm.cpp"
#include "src/kernels/simd/vector/float32/unpacked_gemm.h"

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/float32/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// alpha * sum + bias + y + residual for up to a vector of columns.
HWY_INLINE void put(const UnpackedGemm& g, V sum, int left, std::size_t column, float* y,
                    const float* residual) {
  const D d;
  V v = hn::MulAdd(hn::Set(d, g.alpha), sum, hn::LoadU(d, g.bias + column));
  if (g.accumulate) v = hn::Add(v, load_some(y, left));
  if (residual) v = hn::Add(v, load_some(residual, left));
  store_some(clamped_result(v, hn::Set(d, g.epilogue.lo), hn::Set(d, g.epilogue.hi)), y, left);
}

/// One vector column of one row; the rows of w are contiguous. Four sums hide the latency.
inline V sum_rows(const UnpackedGemm& g, const float* x, const float* w, int left) {
  const D d;
  V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  std::size_t k = 0;
  const auto term = [&](std::size_t i, V s) HWY_ATTR {
    return hn::MulAdd(hn::Set(d, x[i * g.x_k]), load_some(w + i * g.w_k, left), s);
  };
  for (; k + 4 <= g.k; k += 4) {
    s0 = term(k, s0);
    s1 = term(k + 1, s1);
    s2 = term(k + 2, s2);
    s3 = term(k + 3, s3);
  }
  for (; k < g.k; ++k) s0 = term(k, s0);
  return hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
}

/// The product of two rows of k floats; the columns of w are contiguous.
inline float dot(const UnpackedGemm& g, const float* x, const float* w) {
  const D d;
  constexpr auto n = static_cast<std::size_t>(vector_lanes);
  V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  std::size_t k = 0;
  const auto term = [&](std::size_t i, V s) HWY_ATTR {
    return hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, w + i), s);
  };
  for (; k + 4 * n <= g.k; k += 4 * n) {
    s0 = term(k, s0);
    s1 = term(k + n, s1);
    s2 = term(k + 2 * n, s2);
    s3 = term(k + 3 * n, s3);
  }
  for (; k + n <= g.k; k += n) s0 = term(k, s0);
  if (k < g.k) {
    const int left = static_cast<int>(g.k - k);
    s1 = hn::MulAdd(load_first(x + k, left), load_first(w + k, left), s1);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}
/// The same for an x whose values are strided.
inline float dot_strided(const UnpackedGemm& g, const float* x, const float* w) {
  float sum = 0;
  for (std::size_t k = 0; k < g.k; ++k) sum += x[k * g.x_k] * w[k];
  return sum;
}

void unpacked_gemm_columns(const UnpackedGemm& g, int first, int last, const float* x,
                           const float* w, float* y, const float* residual) {
  const D d;
  const auto all = static_cast<std::size_t>(g.columns);
  for (int c = first; c < last; ++c) {
    const auto column = static_cast<std::size_t>(c) * static_cast<std::size_t>(vector_lanes);
    const int left = std::min(vector_lanes, g.columns - c * vector_lanes);
    for (std::size_t r = 0; r < static_cast<std::size_t>(g.rows); ++r) {
      const float* row = x + r * g.x_row;
      V sum;
      if (g.w_column == 1) {
        sum = sum_rows(g, row, w + column, left);
      } else {
        HWY_ALIGN float sums[vector_lanes] = {};
        for (int i = 0; i < left; ++i) {
          const float* from = w + (column + static_cast<std::size_t>(i)) * g.w_column;
          sums[i] = g.x_k == 1 ? dot(g, row, from) : dot_strided(g, row, from);
        }
        sum = hn::Load(d, sums);
      }
      const std::size_t at = r * all + column;
      put(g, sum, left, column, y + at, residual ? residual + at : nullptr);
      if (!g.epilogue.clamps()) activate(g.epilogue, 1, static_cast<std::size_t>(left), 0, y + at);
    }
  }
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(unpacked_gemm_columns);
void unpacked_gemm(const UnpackedGemm& g, int first, int last, const float* x, const float* w,
                   float* y, const float* residual) {
  HWY_DYNAMIC_DISPATCH(unpacked_gemm_columns)(g, first, last, x, w, y, residual);
}
}  // namespace webnn::inline v0_1::simd
#endif
