#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/gemm.cpp"
#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/float32/gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::simd::HWY_NAMESPACE {

int lane_count() { return vector_lanes; }
int row_count() { return register_rows; }
const char* target_name() { return hwy::TargetName(HWY_TARGET); }

// A vector column is one stream of weights, and four partial sums hide the latency of the sums.
void gemv_columns(const Gemm& g, int first, int last, const float* x, float* y,
                  const float* residual) {
  const D d;
  constexpr auto n = static_cast<std::size_t>(vector_lanes);
  const V lo = hn::Set(d, g.epilogue.lo), hi = hn::Set(d, g.epilogue.hi);
  for (int c = first; c < last; ++c) {
    const float* p = g.w + static_cast<std::size_t>(c) * g.column_size;
    V s0 = hn::LoadU(d, g.bias + c * vector_lanes), s1 = hn::Zero(d), s2 = s1, s3 = s1;
    std::size_t i = 0;
    for (; i + 4 <= g.k; i += 4, p += 4 * n) {
      s0 = hn::MulAdd(hn::Set(d, x[i]), hn::LoadU(d, p), s0);
      s1 = hn::MulAdd(hn::Set(d, x[i + 1]), hn::LoadU(d, p + n), s1);
      s2 = hn::MulAdd(hn::Set(d, x[i + 2]), hn::LoadU(d, p + 2 * n), s2);
      s3 = hn::MulAdd(hn::Set(d, x[i + 3]), hn::LoadU(d, p + 3 * n), s3);
    }
    for (; i < g.k; ++i, p += n) s0 = hn::MulAdd(hn::Set(d, x[i]), hn::LoadU(d, p), s0);
    V v = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
    const std::size_t at = static_cast<std::size_t>(c) * n;
    const int left = g.columns - c * vector_lanes;
    if (g.accumulate) v = hn::Add(v, load_some(y + at, left));
    if (residual) v = hn::Add(v, load_some(residual + at, left));
    store_some(clamped(v, lo, hi), y + at, left);
  }
  if (g.epilogue.clamps() || first >= last) return;
  const std::size_t at = static_cast<std::size_t>(first) * n;
  const std::size_t end =
      std::min(static_cast<std::size_t>(last) * n, static_cast<std::size_t>(g.columns));
  activate(g.epilogue, 1, end - at, 0, y + at);
}

}  // namespace webnn::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::simd {
HWY_EXPORT(lane_count);
HWY_EXPORT(row_count);
HWY_EXPORT(target_name);
HWY_EXPORT(gemm_columns);
HWY_EXPORT(gemv_columns);

int lanes() { return HWY_DYNAMIC_DISPATCH(lane_count)(); }
int rows_at_once() { return HWY_DYNAMIC_DISPATCH(row_count)(); }
const char* target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }
bool is_narrow(int columns, std::size_t segments, std::size_t k) {
  const auto n = static_cast<std::size_t>(lanes()), all = static_cast<std::size_t>(columns);
  // Lanes are summed in about as many steps. The margin is for x, which both read from L1.
  const std::size_t steps = all * (segments * ((k + n - 1) / n) + 8);
  return all <= n && 5 * steps <= 4 * segments * k;
}
void gemm(const Gemm& g, int rows, int first, int last, const float* x, float* y,
          const float* residual) {
  HWY_DYNAMIC_DISPATCH(gemm_columns)(g, rows, first, last, x, y, residual);
}
void gemv(const Gemm& g, int first, int last, const float* x, float* y, const float* residual) {
  HWY_DYNAMIC_DISPATCH(gemv_columns)(g, first, last, x, y, residual);
}
}  // namespace webnn::simd
#endif
