// The parts of a quantized operator and of what follows it, as composed() has them.
#pragma once

#include <variant>

#include "src/graph/requantization.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// Real value = scale * (integer - zero): one pair for all, or one for each element of a shape.
struct QuantizationParams {
  MLOperandDataType type{};
  Dims shape{};                ///< of the rank of the tensor
  std::vector<float> scale{};  ///< finite and positive
  std::vector<std::int32_t> zero{};

  bool per_tensor() const { return scale.size() == 1; }
  bool is_signed() const { return type == MLOperandDataType::int8; }
  /// Whether the type has 8 bits and there is one pair for all.
  bool is_activation() const {
    return per_tensor() && (type == MLOperandDataType::int8 || type == MLOperandDataType::uint8);
  }
  /// Exclusive or with it makes elements of 8 bits unsigned and keeps their order; the zero is then
  /// shifted_zero().
  std::uint8_t flip() const { return is_signed() ? 0x80 : 0; }
  std::int32_t shifted_zero() const { return zero[0] + (is_signed() ? 128 : 0); }
  bool operator==(const QuantizationParams& o) const {
    return type == o.type && scale == o.scale && zero == o.zero;
  }
};

struct QuantizedOperand {
  MLOperand x{};        ///< the integers
  int slot = 0;         ///< of Buffers::inputs
  MLOperand as_read{};  ///< the operand of the operator: floats, perhaps reshaped
  QuantizationParams q{};

  bool constant() const { return x.constant() != nullptr; }
};

struct QuantizedChain {
  Node op;
  std::vector<QuantizedOperand> operands{};  ///< of the operator, in the order of the rows
  /// Operands that are float constants have no x.
  std::vector<Node> between{};     ///< the nodes between the operator and quantizeLinear
  bool clamps = true;              ///< these are relu, clamp and reshape only
  std::int32_t low = 0, high = 0;  ///< bounds of the integers of the result
  QuantizationParams result{};
  MLOperand y{};
  Requantization requantization{};
};
/// Or the reason why kernels do not support the chain.
std::variant<QuantizedChain, Refusal> quantized_chain(Chain chain);

/// The elements of a constant of 4, 8 or 32 bits.
std::vector<std::int32_t> integers_of(const MLOperand& constant);

/// The least and the largest integer of such a type.
std::pair<std::int64_t, std::int64_t> limits_of(MLOperandDataType type);

/// roundEven(v / scale) + zero, saturated; the quotient is a float.
std::int32_t quantized(double v, const QuantizationParams& q, std::size_t i = 0);

}  // namespace webnn::inline v0_1
