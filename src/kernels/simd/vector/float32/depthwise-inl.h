// The depthwise filter of a target, for other kernels of that target: depthwise.cpp defines it. One
// copy per target.
#if defined(WEBNN_SIMD_DEPTHWISE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_DEPTHWISE_INL_H
#undef WEBNN_SIMD_DEPTHWISE_INL_H
#else
#define WEBNN_SIMD_DEPTHWISE_INL_H
#endif
#include "src/kernels/simd/vector/float32/depthwise.h"
#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// Rows of pixels, `row` floats from one to the next, in a ring buffer of `ring` rows (0: all
/// rows); `pixel` floats from one pixel to the next.
struct Image {
  float* base;
  std::size_t row, pixel;
  int ring = 0;
  float* at(int r) const { return base + static_cast<std::size_t>(ring ? r % ring : r) * row; }
};

/// Rows [r0, r1) of the result for the channels [c0, c1) of the weights; x, y and the residual
/// begin at channel c0. y and residual have row 0 at their base.
void depthwise_rows(const Depthwise& g, int c0, int c1, int r0, int r1, const Image& x,
                    const Image& y);

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
