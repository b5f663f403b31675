// Operators of random shapes, for the kernels of every backend.
#pragma once

#include "tests/support/kernel_case.h"

namespace webnn::inline v0_1::test {

enum class After { nothing, residual, activation, both };

/// What may follow a convolution or product: one of the functions of fused.h, or a clamp only.
MLOperand random_epilogue(Random& r, MLGraphBuilder& b, const MLOperand& y, bool only_clamps);

struct ConvolutionKind {
  MLInputOperandLayout layout = MLInputOperandLayout::nhwc;
  bool depthwise = false, grouped = false, pointwise = false;
  bool epilogue = false, only_clamps = false;
  bool constant_bias = true;
};
KernelCase random_conv2d(unsigned seed, const ConvolutionKind& kind);

struct ProductKind {
  bool constant_b = true, transposed_a = false, plain_c = false, epilogue = false,
       only_clamps = false;
};
KernelCase random_gemm(unsigned seed, const ProductKind& kind);
KernelCase random_matmul(unsigned seed, const ProductKind& kind);

/// `max`: maxPool2d, else averagePool2d.
KernelCase random_pool2d(unsigned seed, MLInputOperandLayout layout, bool max, bool dilated);

/// Lowers convolutions, products and pools of extreme sizes, paddings and strides: each must come
/// back, as a kernel or as a refusal with a reason. Nothing is run. How many were taken.
int lower_extremes(const Backend& backend, int cases);

}  // namespace webnn::inline v0_1::test
