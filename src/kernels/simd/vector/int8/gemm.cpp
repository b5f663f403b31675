#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/gemm.cpp"
#include "src/kernels/simd/vector/int8/gemm.h"

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Not called: without vectors there is no such backend.
void int8_gemm_panels(const Int8Gemm&, std::size_t, int, int, const std::uint8_t*, std::uint8_t*) {}

#else

/// Sums become bytes.
class ByteResult {
 public:
  using Element = std::uint8_t;

  HWY_INLINE explicit ByteResult(const Int8Gemm& g) : g_(g) {}
  HWY_INLINE VI start(VI bias) const { return bias; }
  template <int Rows, int Columns>
  HWY_INLINE void store(VI (&sum)[Rows][Columns], std::size_t row, std::size_t first,
                        std::uint8_t* HWY_RESTRICT y) const {
    constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c)
      with_factors<Ties::up>(g_.scale, first + static_cast<std::size_t>(c) * lanes,
                             [&](auto rounded) HWY_ATTR {
#pragma GCC unroll 16
                               for (int r = 0; r < Rows; ++r) sum[r][c] = rounded(sum[r][c]);
                             });
    const Output output(g_.result);
    const auto left = static_cast<std::size_t>(g_.columns) - first;
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      std::uint8_t* to = y + (row + static_cast<std::size_t>(r)) * g_.y_stride + first;
      if constexpr (Columns == 4) {
        store_bytes(output.bytes(sum[r]), to, left);
      } else {
#pragma GCC unroll 4
        for (std::size_t c = 0; c < Columns; ++c)
          output.store(sum[r][c], to + c * lanes, left - c * lanes);
      }
    }
  }

 private:
  const Int8Gemm& g_;
};

void int8_gemm_panels(const Int8Gemm& g, std::size_t rows, int first, int last,
                      const std::uint8_t* x, std::uint8_t* y) {
  all_panels<ByteResult>(g, rows, first, last, x, y);
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(int8_gemm_panels);
void int8_gemm(const Int8Gemm& g, std::size_t rows, int first, int last, const std::uint8_t* x,
               std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(int8_gemm_panels)(g, rows, first, last, x, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
