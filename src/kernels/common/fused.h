// Which operators of a chain become the epilogue of a convolution, a matrix product or a
// normalization.
#pragma once

#include <optional>

#include "src/graph/fused/operators.h"
#include "src/kernels/common/epilogue.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// The operators that are activations.
using ActivationOps =
    ops::OpList<ops::clamp, ops::elu, ops::gelu, ops::hardSigmoid, ops::hardSwish, ops::leakyRelu,
                ops::linear, ops::relu, ops::sigmoid, ops::tanh, fused::swish>;
/// The activation of a node of these operators on float32, whatever its operand.
std::optional<Epilogue> activation_of(const Node& node);

/// Whether an operator is a batchNormalization, conv2d, convTranspose2d, gemm,
/// instanceNormalization or matmul.
bool takes_epilogue(const Node& node);

/// One convolution, product or normalization and its epilogue.
struct Stage {
  Node head;
  Epilogue epilogue{};
  std::size_t first = 0, length = 1;  ///< nodes of the chain
  MLOperand result{};                 ///< of the last of these nodes
};
/// The stages of a chain: each is an operator that takes an epilogue, an optional add of a tensor
/// of the same shape, and an optional activation. Nothing for other chains, and for data types
/// other than float32.
std::optional<std::vector<Stage>> stages_of(Chain chain);
/// No backend of the library runs a longer beginning of the chain in one kernel: as many stages as
/// a kernel has, element-wise operators, or one operator.
std::size_t longest_in_library(Chain chain);

}  // namespace webnn::inline v0_1
