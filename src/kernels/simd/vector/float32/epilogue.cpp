#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/epilogue.cpp"
#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/float32/epilogue-inl.h"
#include "src/kernels/simd/vector/float32/epilogue.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

void finish(const Epilogue& e, int rows, std::size_t n, std::size_t stride, float* y,
            const float* residual) {
  const auto each = [=](auto f) HWY_ATTR {
    const D d;
    constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
    for (int r = 0; r < rows; ++r) {
      const std::size_t row = static_cast<std::size_t>(r) * stride;
      std::size_t i = 0;
      for (; i + lanes <= n; i += lanes) {
        V v = hn::LoadU(d, y + row + i);
        if (residual) v = hn::Add(v, hn::LoadU(d, residual + row + i));
        hn::StoreU(with_one_nan(f(v)), d, y + row + i);
      }
      if (i == n) continue;
      const int left = static_cast<int>(n - i);
      V v = load_first(y + row + i, left);
      if (residual) v = hn::Add(v, load_first(residual + row + i, left));
      store_first(with_one_nan(f(v)), y + row + i, left);
    }
  };
  if (e.activation == Activation::none) return each([](V x) HWY_ATTR { return x; });
  with_activation(e, each);
}

void activate_rows(const Epilogue& e, int rows, std::size_t n, std::size_t stride, float* y) {
  finish(e, rows, n, stride, y, nullptr);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(activate_rows);

void activate(const Epilogue& e, int rows, std::size_t n, std::size_t stride, float* y) {
  HWY_DYNAMIC_DISPATCH(activate_rows)(e, rows, n, stride, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
