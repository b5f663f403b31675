// What follows a convolution or a matrix product in a chain: a residual sum and an activation.
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
  linear
};
constexpr auto names_of(Activation) {
  return names("", "clamp", "leakyRelu", "elu", "hardSwish", "hardSigmoid", "sigmoid", "tanh",
               "gelu", "linear");
}

/// y = activation(x + residual), element by element.
struct Epilogue {
  int residual = -1;  ///< index in Buffers::inputs of a tensor of the result's shape; -1: none
  Activation activation = Activation::none;
  float alpha = 0, beta = 0;                           ///< of the activation
  float lo = -std::numeric_limits<float>::infinity();  ///< of clamp
  float hi = std::numeric_limits<float>::infinity();

  /// Whether the activation is none or clamp, so that lo and hi say it all.
  bool clamps() const { return activation == Activation::none || activation == Activation::clamp; }
  std::string text() const;  ///< "+residual+clamp"
};

/// The activation that a node is, if it is one on float32; its operand does not count.
std::optional<Epilogue> activation_of(const Node& node);

/// One convolution or product with what is fused to it.
struct Stage {
  Node head;
  Epilogue epilogue{};
  std::size_t first = 0, length = 1;  ///< nodes of the chain
  MLOperand result{};                 ///< of the last of them; head's, perhaps reshaped
};
/// The chain as stages: each begins with a conv2d, gemm or matmul (never with anything else) and
/// goes on with an add of a tensor of the same shape, if any, and an activation, if any. Nothing
/// when the chain is not of this form, or not float32 throughout.
std::optional<std::vector<Stage>> stages_of(Chain chain);

}  // namespace webnn
