#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/float_gemm.cpp"
#include "src/kernels/simd/vector/int8/float_gemm.h"

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Not called: without vectors there is no such backend.
void int8_float_panels(const Int8Gemm&, const FloatResult&, std::size_t, int, int,
                       const std::uint8_t*, float*) {}

#else

/// The result travels with the product, whose other parts know nothing of it.
struct FloatGemm : Int8Gemm {
  FloatResult floats;
};

class Floats {
 public:
  using Element = float;

  HWY_INLINE explicit Floats(const Int8Gemm& g)
      : g_(static_cast<const FloatGemm&>(g)), zero_(hn::Set(DI(), g_.floats.x_zero)) {}
  HWY_INLINE VI start(VI bias) const { return hn::Mul(bias, zero_); }
  template <int Rows, int Columns>
  HWY_INLINE void store(VI (&sum)[Rows][Columns], std::size_t row, std::size_t first,
                        float* HWY_RESTRICT y) const {
    constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
    const int left = g_.columns - static_cast<int>(first);
    V v[Rows][Columns];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) v[r][c] = hn::ConvertTo(D(), sum[r][c]);
    for (const FloatTerm& t : g_.floats.terms) apply(t, row, first, left, v);
    if (g_.floats.clamps) {
      const V lo = hn::Set(D(), g_.floats.lo), hi = hn::Set(D(), g_.floats.hi);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
        for (int c = 0; c < Columns; ++c) v[r][c] = clamped(v[r][c], lo, hi);
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      float* const to = y + (row + static_cast<std::size_t>(r)) * g_.y_stride + first;
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c)
        store_some(v[r][c], to + static_cast<std::size_t>(c) * lanes, left - c * vector_lanes);
    }
  }

 private:
  template <int Rows, int Columns>
  static HWY_INLINE void apply(const FloatTerm& t, std::size_t row, std::size_t first, int left,
                               V (&v)[Rows][Columns]) {
    constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
    const auto join = [&](V a, V b)
                          HWY_ATTR { return t.multiplies ? hn::Mul(a, b) : hn::Add(a, b); };
    if (t.row > 0) {
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        const float* const from = t.data + (row + static_cast<std::size_t>(r)) * t.row + first;
#pragma GCC unroll 4
        for (int c = 0; c < Columns; ++c)
          v[r][c] = join(v[r][c], load_some(from + static_cast<std::size_t>(c) * lanes,
                                            left - c * vector_lanes));
      }
      return;
    }
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) {
      const V of_column = t.column == 0
                              ? hn::Set(D(), *t.data)
                              : load_some(t.data + first + static_cast<std::size_t>(c) * lanes,
                                          left - c * vector_lanes);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) v[r][c] = join(v[r][c], of_column);
    }
  }

  const FloatGemm& g_;
  VI zero_;
};

void int8_float_panels(const Int8Gemm& g, const FloatResult& result, std::size_t rows, int first,
                       int last, const std::uint8_t* x, float* y) {
  const FloatGemm with_result{g, result};
  all_panels<Floats>(with_result, rows, first, last, x, y);
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(int8_float_panels);
void int8_float_gemm(const Int8Gemm& g, const FloatResult& result, std::size_t rows, int first,
                     int last, const std::uint8_t* x, float* y) {
  HWY_DYNAMIC_DISPATCH(int8_float_panels)(g, result, rows, first, last, x, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
