// What is computed on the result of a convolution, a matrix product or a normalization before it is
// stored: a residual sum and an activation. Vector kernels include this header, so it includes
// nothing of a graph.
#pragma once

#include <limits>
#include <string>

#include "webnn/data_type.h"

namespace webnn::inline v0_1 {

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

}  // namespace webnn::inline v0_1
