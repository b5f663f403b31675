// The product of matrices of a target, for other kernels of that target: gemm.cpp defines it. One
// copy per target.
#if defined(WEBNN_SIMD_GEMM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_GEMM_INL_H
#undef WEBNN_SIMD_GEMM_INL_H
#else
#define WEBNN_SIMD_GEMM_INL_H
#endif
#include "src/kernels/simd/vector/float32/gemm.h"
#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// All rows for the vector columns [first, last): x, y and residual point at the first row, y and
/// residual at column 0.
void gemm_columns(const Gemm& g, int rows, int first, int last, const float* x, float* y,
                  const float* residual);

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
