// The operators of this backend: float32, as sequential primitives of oneDNN on our tiles.
#pragma once

#include "src/kernels/common/library.h"

namespace webnn::inline v0_1::onednn {

using Lowers = ops::OpList<ops::conv2d, ops::gemm, ops::matmul, ops::averagePool2d, ops::maxPool2d>;
using QuantizedOps = ops::OpList<>;

// Called within a SingleThreadScope. A dnnl::error or std::bad_alloc counts as a refusal.
Lowering lower(const ops::conv2d&, const LoweringRequest&);
Lowering lower(const ops::gemm&, const LoweringRequest&);
Lowering lower(const ops::matmul&, const LoweringRequest&);
Lowering lower(const ops::averagePool2d&, const LoweringRequest&);
Lowering lower(const ops::maxPool2d&, const LoweringRequest&);

}  // namespace webnn::inline v0_1::onednn
