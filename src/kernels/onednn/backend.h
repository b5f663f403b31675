// The operators that go to oneDNN: float32, as sequential primitives on our tiles.
#pragma once

#include "src/kernels/common/fused.h"
#include "src/kernels/common/lower_table.h"

namespace webnn::onednn {

using Lowers = ops::OpList<ops::conv2d, ops::gemm, ops::matmul, ops::averagePool2d, ops::l2Pool2d,
                           ops::maxPool2d>;

/// What is asked of one operator: its result, and what follows it.
struct LoweringRequest {
  MLOperand result;
  Epilogue epilogue{};  // of convolutions and products only
};

// Called while SingleThreadScope. May throw dnnl::error and std::bad_alloc: these are refusals too.
Lowering lower(const ops::conv2d&, const LoweringRequest&);
Lowering lower(const ops::gemm&, const LoweringRequest&);
Lowering lower(const ops::matmul&, const LoweringRequest&);
Lowering lower(const ops::averagePool2d&, const LoweringRequest&);
Lowering lower(const ops::l2Pool2d&, const LoweringRequest&);
Lowering lower(const ops::maxPool2d&, const LoweringRequest&);

}  // namespace webnn::onednn
