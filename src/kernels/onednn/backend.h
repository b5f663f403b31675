// The operators that go to oneDNN: float32, as sequential primitives on our tiles.
#pragma once

#include "src/kernels/common/fused.h"
#include "src/kernels/common/lower_table.h"

namespace webnn::onednn {

using Lowers = ops::OpList<ops::conv2d, ops::gemm, ops::matmul, ops::averagePool2d, ops::l2Pool2d,
                           ops::maxPool2d>;

/// What is asked of one operator: its result, and what follows it.
struct Offer {
  MLOperand result;
  Epilogue epilogue{};  // of convolutions and products only
};

// Called while Alone. May throw dnnl::error and std::bad_alloc: these are refusals too.
Lowering lower(const ops::conv2d&, const Offer&);
Lowering lower(const ops::gemm&, const Offer&);
Lowering lower(const ops::matmul&, const Offer&);
Lowering lower(const ops::averagePool2d&, const Offer&);
Lowering lower(const ops::l2Pool2d&, const Offer&);
Lowering lower(const ops::maxPool2d&, const Offer&);

}  // namespace webnn::onednn
