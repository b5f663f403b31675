// The operators of this backend: float32, one operator object of XNNPACK for each of our tiles.
//
// XNNPACK takes subnormal numbers as zero.
#pragma once

#include "src/kernels/common/library.h"

namespace webnn::inline v0_1::xnnpack {

using Lowers = ops::OpList<ops::conv2d, ops::gemm, ops::matmul, ops::averagePool2d, ops::maxPool2d,
                           ops::softmax, ops::add, ops::sub, ops::mul, ops::div, ops::max, ops::min,
                           ops::abs, ops::ceil, ops::floor, ops::neg, ops::roundEven, ops::sqrt,
                           ops::exp, ops::log, ops::clamp, ops::relu, ops::elu, ops::leakyRelu,
                           ops::hardSwish, ops::sigmoid, ops::tanh, ops::gelu>;
using QuantizedOps = ops::OpList<>;

// A std::bad_alloc counts as a refusal.
Lowering lower(const ops::conv2d&, const LoweringRequest&);
Lowering lower(const ops::gemm&, const LoweringRequest&);
Lowering lower(const ops::matmul&, const LoweringRequest&);
Lowering lower(const ops::averagePool2d&, const LoweringRequest&);
Lowering lower(const ops::maxPool2d&, const LoweringRequest&);
Lowering lower(const ops::softmax&, const LoweringRequest&);
Lowering lower(const ops::add&, const LoweringRequest&);
Lowering lower(const ops::sub&, const LoweringRequest&);
Lowering lower(const ops::mul&, const LoweringRequest&);
Lowering lower(const ops::div&, const LoweringRequest&);
Lowering lower(const ops::max&, const LoweringRequest&);
Lowering lower(const ops::min&, const LoweringRequest&);
Lowering lower(const ops::abs&, const LoweringRequest&);
Lowering lower(const ops::ceil&, const LoweringRequest&);
Lowering lower(const ops::floor&, const LoweringRequest&);
Lowering lower(const ops::neg&, const LoweringRequest&);
Lowering lower(const ops::roundEven&, const LoweringRequest&);
Lowering lower(const ops::sqrt&, const LoweringRequest&);
Lowering lower(const ops::exp&, const LoweringRequest&);
Lowering lower(const ops::log&, const LoweringRequest&);
Lowering lower(const ops::clamp&, const LoweringRequest&);
Lowering lower(const ops::relu&, const LoweringRequest&);
Lowering lower(const ops::elu&, const LoweringRequest&);
Lowering lower(const ops::leakyRelu&, const LoweringRequest&);
Lowering lower(const ops::hardSwish&, const LoweringRequest&);
Lowering lower(const ops::sigmoid&, const LoweringRequest&);
Lowering lower(const ops::tanh&, const LoweringRequest&);
Lowering lower(const ops::gelu&, const LoweringRequest&);

}  // namespace webnn::inline v0_1::xnnpack
