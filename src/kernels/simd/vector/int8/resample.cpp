#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/resample.cpp"
#include "src/kernels/simd/vector/int8/resample.h"

#include <hwy/foreach_target.h>

#include <algorithm>
#include <cstdlib>

#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

using ResampleD = hn::RebindToSigned<D>;
constexpr auto resample_lanes = static_cast<std::size_t>(vector_lanes);

template <class T>
void blend_rows(const std::uint8_t* bytes_a, const std::uint8_t* bytes_b, std::int32_t weight,
                std::size_t n, std::int32_t* y) {
  const T *a = reinterpret_cast<const T*>(bytes_a), *b = reinterpret_cast<const T*>(bytes_b);
  const std::int32_t rest = resample_unit - weight;
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const ResampleD d;
  const hn::Rebind<T, ResampleD> bytes;
  const auto weights = hn::Set(d, weight), rests = hn::Set(d, rest);
  for (; i + resample_lanes <= n; i += resample_lanes) {
    const auto va = hn::PromoteTo(d, hn::LoadU(bytes, a + i));
    const auto vb = hn::PromoteTo(d, hn::LoadU(bytes, b + i));
    hn::StoreU(hn::Add(hn::Mul(rests, va), hn::Mul(weights, vb)), d, y + i);
  }
#endif
  for (; i < n; ++i) y[i] = rest * a[i] + weight * b[i];
}

template <class T>
void blend_columns(const Int8Samples& s, std::size_t channels, const std::int32_t* x,
                   std::int32_t low, std::int32_t high, T* y) {
  constexpr std::int32_t half = resample_unit * resample_unit / 2;
  for (std::size_t o = 0; o < s.size(); ++o, y += channels) {
    const std::int32_t *a = x + static_cast<std::size_t>(s.low[o]) * channels,
                       *b = x + static_cast<std::size_t>(s.high[o]) * channels;
    const std::int32_t weight = s.weight[o], rest = resample_unit - weight;
    std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
    const ResampleD d;
    const hn::Rebind<T, ResampleD> bytes;
    const auto weights = hn::Set(d, weight), rests = hn::Set(d, rest);
    const auto lows = hn::Set(d, low), highs = hn::Set(d, high);
    for (; i + resample_lanes <= channels; i += resample_lanes) {
      const auto sum =
          hn::Add(hn::Mul(rests, hn::LoadU(d, a + i)), hn::Mul(weights, hn::LoadU(d, b + i)));
      const auto size = hn::ShiftRight<20>(hn::Add(hn::Abs(sum), hn::Set(d, half)));
      const auto v = hn::IfThenElse(hn::Lt(sum, hn::Zero(d)), hn::Neg(size), size);
      hn::StoreU(hn::DemoteTo(bytes, hn::Min(hn::Max(v, lows), highs)), bytes, y + i);
    }
#endif
    for (; i < channels; ++i) {
      const std::int32_t sum = rest * a[i] + weight * b[i];
      const std::int32_t size = (std::abs(sum) + half) >> 20;
      y[i] = static_cast<T>(std::clamp(sum < 0 ? -size : size, low, high));
    }
  }
}

void blend_int8_rows(const std::uint8_t* a, const std::uint8_t* b, std::int32_t weight,
                     bool is_signed, std::size_t n, std::int32_t* y) {
  if (is_signed) blend_rows<std::int8_t>(a, b, weight, n, y);
  else blend_rows<std::uint8_t>(a, b, weight, n, y);
}
void blend_byte_columns(const Int8Samples& s, std::size_t channels, const std::int32_t* x,
                        bool is_signed, std::int32_t low, std::int32_t high, std::uint8_t* y) {
  if (is_signed)
    blend_columns<std::int8_t>(s, channels, x, low, high, reinterpret_cast<std::int8_t*>(y));
  else blend_columns<std::uint8_t>(s, channels, x, low, high, y);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(blend_int8_rows);
HWY_EXPORT(blend_byte_columns);

void int8_blend_rows(const std::uint8_t* a, const std::uint8_t* b, std::int32_t weight,
                     bool is_signed, std::size_t n, std::int32_t* y) {
  HWY_DYNAMIC_DISPATCH(blend_int8_rows)(a, b, weight, is_signed, n, y);
}
void int8_blend_columns(const Int8Samples& s, std::size_t channels, const std::int32_t* x,
                        bool is_signed, std::int32_t low, std::int32_t high, std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(blend_byte_columns)(s, channels, x, is_signed, low, high, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
