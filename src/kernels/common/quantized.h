// The chain of a quantized operator (webnn/backend.h) as kernels see it.
#pragma once

#include <variant>

#include "webnn/backend.h"

namespace webnn {

/// Real value = scale * (integer - zero): one pair for all, or one for each element of a shape.
struct Quantization {
  MLOperandDataType type{};
  Dims shape{};                ///< of the rank of the tensor
  std::vector<float> scale{};  ///< finite and positive
  std::vector<std::int32_t> zero{};

  bool per_tensor() const { return scale.size() == 1; }
  bool is_signed() const { return type == MLOperandDataType::int8; }
  /// Of 8 bits, one pair for all.
  bool is_activation() const {
    return per_tensor() && (type == MLOperandDataType::int8 || type == MLOperandDataType::uint8);
  }
  /// What turns an element of 8 bits into an unsigned one of the same order, by exclusive or; the
  /// zero is then shifted_zero().
  std::uint8_t flip() const { return is_signed() ? 0x80 : 0; }
  std::int32_t shifted_zero() const { return zero[0] + (is_signed() ? 128 : 0); }
  bool operator==(const Quantization& o) const {
    return type == o.type && scale == o.scale && zero == o.zero;
  }
};

struct QuantizedOperand {
  MLOperand x{};        ///< the integers
  int slot = 0;         ///< of Buffers::inputs
  MLOperand as_read{};  ///< the operand of the operator: floats, perhaps reshaped
  Quantization q{};

  bool constant() const { return x.constant() != nullptr; }
};

struct QuantizedChain {
  Node op;
  std::vector<QuantizedOperand> operands{};  ///< of the operator, in the order of the rows
  /// The operands that are constants of floats have no x.
  std::vector<Node> between{};     ///< what follows the operator, before quantizeLinear
  bool clamps = true;              ///< nothing follows but relu, clamp and reshape
  std::int32_t low = 0, high = 0;  ///< integers of the result that these let through
  Quantization result{};
  MLOperand y{};
};
/// Or why it is not in a form that kernels can work with.
std::variant<QuantizedChain, Refusal> quantized_chain(Chain chain);

/// The elements of a constant of 4, 8 or 32 bits.
std::vector<std::int32_t> integers_of(const MLOperand& constant);

/// roundEven(v / scale) + zero, saturated.
std::int32_t quantized(double v, const Quantization& q, std::size_t i = 0);

}  // namespace webnn
