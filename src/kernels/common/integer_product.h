// A product or convolution of integers whose sums become floats, as a chain has it:
// dequantizeLinear of both operands, the operator, and factors, summands and an activation behind
// it.
#pragma once

#include <optional>
#include <variant>

#include "src/kernels/common/epilogue.h"
#include "src/kernels/common/quantized.h"

namespace webnn::inline v0_1 {

/// What the sums are multiplied by, or what is added to them.
struct ProductTerm {
  enum class Shape { number, row, tensor } shape = Shape::number;
  bool multiplies = false;
  int slot = -1;                ///< of Buffers::inputs: float32
  std::vector<float> values{};  ///< where there is no slot
  /// The operand whose dequantizeLinear has this scale, if it is one.
  enum class ScaleOf { neither, left, right } scale_of = ScaleOf::neither;
  bool computed = false;  ///< a scale that is known in a run, and may exceed max_scale
};

struct IntegerProduct {
  static constexpr std::size_t max_terms = 8;
  /// With a larger scale, or NaN, an element alone may be infinite or NaN where the sum of integers
  /// is a number. 2^31 * max_scale^2 is finite.
  static constexpr float max_scale = 1e14f;

  Node op;
  /// The left operand: 8 bits, with one scale and zero point, which may be computed.
  MLOperand x{};
  int x_slot = 0, x_zero_slot = 0;
  /// The right operand: constant integers. `w_zero` has one element or one for each column.
  MLOperand w{}, w_as_read{};
  int w_slot = 0;
  std::vector<std::int32_t> w_zero{};
  std::size_t columns = 0;
  /// In this order; the scales are the first ones.
  std::vector<ProductTerm> terms{};
  Epilogue activation{};  ///< without residual
  /// Of the integers that the floats become at the end; nothing if the result is float32.
  std::optional<QuantizationParams> result{};
  MLOperand y{};
};
/// Or the reason why kernels do not support the chain, which has no quantizeLinear.
std::variant<IntegerProduct, Refusal> integer_product(Chain chain);

}  // namespace webnn::inline v0_1
