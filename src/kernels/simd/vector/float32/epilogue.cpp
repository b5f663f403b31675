#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/epilogue.cpp"
#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/float32/epilogue-inl.h"
#include "src/kernels/simd/vector/float32/epilogue.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::simd::HWY_NAMESPACE {

void activate_all(const Epilogue& e, std::size_t n, float* y) { activate(e, 1, n, 0, y); }

}  // namespace webnn::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::simd {
HWY_EXPORT(activate_all);

void activate(const Epilogue& e, std::size_t n, float* y) {
  HWY_DYNAMIC_DISPATCH(activate_all)(e, n, y);
}
}  // namespace webnn::simd
#endif
