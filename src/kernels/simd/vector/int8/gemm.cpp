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
    if (g_.scale.scales) store_scaled<FloatFactor>(sum, row, first, y);
    else store_scaled<Factor>(sum, row, first, y);
  }

 private:
  template <class AFactor, int Rows, int Columns>
  HWY_INLINE void store_scaled(VI (&sum)[Rows][Columns], std::size_t row, std::size_t first,
                               std::uint8_t* HWY_RESTRICT y) const {
    constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
    unrolled<Columns>([&](auto c) WEBNN_UNROLLED {
      const AFactor factor(g_.scale, first + std::size_t{c} * lanes);
      unrolled<Rows>([&](auto r)
                         WEBNN_UNROLLED { sum[r][c] = factor.template of<Ties::up>(sum[r][c]); });
    });
    const Output output(g_.result);
    const auto left = static_cast<std::size_t>(g_.columns) - first;
    std::uint8_t* const to = y + row * g_.y_stride + first;
    if constexpr (Columns == 4) {
      unrolled<Rows>([&](auto r) WEBNN_UNROLLED {
        store_bytes(output.bytes(sum[r][0], sum[r][1], sum[r][2], sum[r][3]),
                    to + std::size_t{r} * g_.y_stride, left);
      });
    } else {
      constexpr int fours = Rows / 4;
      unrolled<Columns>([&](auto c) WEBNN_UNROLLED {
        std::uint8_t* const of_column = to + std::size_t{c} * lanes;
        const std::size_t n = std::min(lanes, left - std::size_t{c} * lanes);
        if constexpr (fours > 0)
          unrolled<fours>([&](auto f) WEBNN_UNROLLED {
            constexpr int r = 4 * f;
            store_rows(output.bytes(sum[r][c], sum[r + 1][c], sum[r + 2][c], sum[r + 3][c]),
                       of_column + r * g_.y_stride, g_.y_stride, n);
          });
        if constexpr (Rows % 4 > 0)
          unrolled<Rows % 4>([&](auto i) WEBNN_UNROLLED {
            constexpr int r = 4 * fours + i;
            output.store(sum[r][c], of_column + r * g_.y_stride, n);
          });
      });
    }
  }

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
