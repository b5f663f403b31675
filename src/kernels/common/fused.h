// Epilogues that are fused to a convolution, a matrix product or a normalization: a residual sum
// and an activation.
#pragma once

#include <limits>
#include <optional>

#include "webnn/backend.h"

namespace webnn {

/// An element-wise function of one operand. `clamp` covers relu and clamp: min(max(x, lo), hi).
enum class Activation {
  none,
  clamp,
  leaky_relu,
  elu,
  hard_swish,
  hard_sigmoid,
  sigmoid,
  tanh,
  gelu,
  linear,
  swish  ///< x * sigmoid(x), for which WebNN has no operator
};
constexpr auto names_of(Activation) {
  return names("", "clamp", "leakyRelu", "elu", "hardSwish", "hardSigmoid", "sigmoid", "tanh",
               "gelu", "linear", "swish");
}

/// y = activation(x + residual), element by element.
struct Epilogue {
  int residual = -1;  ///< index in Buffers::inputs of a tensor of the result's shape; -1: none
  Activation activation = Activation::none;
  float alpha = 0, beta = 0;                           ///< of the activation
  float lo = -std::numeric_limits<float>::infinity();  ///< of clamp
  float hi = std::numeric_limits<float>::infinity();

  /// Whether the activation is none or clamp, which lo and hi describe.
  bool clamps() const { return activation == Activation::none || activation == Activation::clamp; }
  /// Candidate::row of results with rows of n elements: what is added is contiguous.
  std::size_t row(std::size_t n) const { return residual < 0 ? n : 0; }
  std::string text() const;  ///< "+residual+clamp"
};

/// The operators that are activations.
using ActivationOps = ops::OpList<ops::clamp, ops::elu, ops::gelu, ops::hardSigmoid, ops::hardSwish,
                                  ops::leakyRelu, ops::linear, ops::relu, ops::sigmoid, ops::tanh>;
/// The activation of a node of these operators on float32, whatever its operand.
std::optional<Epilogue> activation_of(const Node& node);

/// Whether an operator is a batchNormalization, conv2d, convTranspose2d, gemm,
/// instanceNormalization or matmul.
bool takes_epilogue(const Node& node);
/// Whether two nodes are s = sigmoid(x) and x * s.
bool is_swish(const MLOperand& x, const Node& sigmoid, const Node& product);

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

}  // namespace webnn
