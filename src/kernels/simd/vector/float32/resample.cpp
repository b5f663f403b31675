#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/resample.cpp"
#include "src/kernels/simd/vector/float32/resample.h"

#include <hwy/foreach_target.h>

#include <algorithm>

#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

constexpr auto sample_lanes = static_cast<std::size_t>(vector_lanes);

/// f(i, left) for each vector of an element, of which `left` floats count.
template <class F> HWY_INLINE void each_part(std::size_t n, F f) {
  std::size_t i = 0;
  for (; i + sample_lanes <= n; i += sample_lanes) f(i, vector_lanes);
  if (i < n) f(i, static_cast<int>(n - i));
}

HWY_INLINE void copy_element(const float* from, std::size_t n, float* to) {
  each_part(n, [=](std::size_t i, int left)
                   HWY_ATTR { store_some(load_some(from + i, left), to + i, left); });
}
HWY_INLINE void mix_element(const float* a, V a_weight, const float* b, V b_weight, std::size_t n,
                            float* to) {
  each_part(n, [=](std::size_t i, int left) HWY_ATTR {
    const V v = hn::Mul(b_weight, load_some(b + i, left));
    store_some(hn::MulAdd(a_weight, load_some(a + i, left), v), to + i, left);
  });
}

void nearest_elements(const Samples& s, std::size_t after, const float* x, float* y) {
  const std::size_t n = s.size();
  const std::int32_t* from = s.low.data();
  if (after > 1) {
    for (std::size_t o = 0; o < n; ++o, y += after)
      copy_element(x + static_cast<std::size_t>(from[o]) * after, after, y);
    return;
  }
  const hn::Rebind<std::int32_t, D> di;
  std::size_t o = 0;
  for (; o + sample_lanes <= n; o += sample_lanes)
    hn::StoreU(hn::GatherIndex(D(), x, hn::LoadU(di, from + o)), D(), y + o);
  for (; o < n; ++o) y[o] = x[from[o]];
}

void linear_elements(const Samples& s, std::size_t after, const float* x, float* y) {
  const D d;
  const std::size_t n = s.size();
  std::size_t o = 0;
  if (after == 1) {
    const hn::Rebind<std::int32_t, D> di;
    for (; o + sample_lanes <= n; o += sample_lanes) {
      const V a = hn::GatherIndex(d, x, hn::LoadU(di, s.low.data() + o));
      const V b = hn::GatherIndex(d, x, hn::LoadU(di, s.high.data() + o));
      const V b_weight = hn::LoadU(d, s.high_weight.data() + o);
      const V mixed = hn::MulAdd(hn::LoadU(d, s.low_weight.data() + o), a, hn::Mul(b_weight, b));
      hn::StoreU(hn::IfThenElse(hn::Eq(b_weight, hn::Zero(d)), a, mixed), d, y + o);
    }
  }
  for (; o < n; ++o) {
    const float* a = x + static_cast<std::size_t>(s.low[o]) * after;
    const float* b = x + static_cast<std::size_t>(s.high[o]) * after;
    if (s.high_weight[o] == 0) copy_element(a, after, y + o * after);
    else
      mix_element(a, hn::Set(d, s.low_weight[o]), b, hn::Set(d, s.high_weight[o]), after,
                  y + o * after);
  }
}

void mix_rows(const float* a, float a_weight, const float* b, float b_weight, std::size_t n,
              float* y) {
  mix_element(a, hn::Set(D(), a_weight), b, hn::Set(D(), b_weight), n, y);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(nearest_elements);
HWY_EXPORT(linear_elements);
HWY_EXPORT(mix_rows);

void take_nearest(const Samples& s, std::size_t after, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(nearest_elements)(s, after, x, y);
}
void take_linear(const Samples& s, std::size_t after, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(linear_elements)(s, after, x, y);
}
void blend(const float* a, float a_weight, const float* b, float b_weight, std::size_t n,
           float* y) {
  HWY_DYNAMIC_DISPATCH(mix_rows)(a, a_weight, b, b_weight, n, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
