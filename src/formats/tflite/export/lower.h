// WebNN's operators in terms of TFLite's: an overload of lower() for each, in the file of its
// family.
#pragma once

#include "src/formats/common/lowering.h"
#include "src/formats/tflite/export/emitter.h"

namespace webnn::inline v0_1::tflite::exporter {

using Values = formats::Values<Value>;

/// The values of operands, and the group that the operator is exported with.
class LoweringContext {
 public:
  virtual ~LoweringContext() = default;

  /// The value of an operand; in a quantized group the elements behind its dequantizeLinear.
  virtual Value operator()(const MLOperand& x) = 0;
  Value operator()(const std::optional<MLOperand>& x) { return x ? (*this)(*x) : Value{}; }
  /// The bias of a convolution or product in units of the product of both scales.
  virtual Value bias(const MLOperand& x, Value input, Value filter) = 0;
  virtual Value zero_bias(std::uint32_t channels, Value input, Value filter) = 0;

  Emitter& e() { return emitter_; }
  /// What the operator's only result is; in a quantized group with its quantization.
  TensorSpec result() const { return {type_of(result_.dataType()), result_.shape(), quantizer_}; }
  TensorSpec result(Dims shape) const { return {type_of(result_.dataType()), shape, quantizer_}; }
  const std::vector<Dims>& result_shapes() const { return shapes_; }
  bool quantized() const { return quantizer_.has_value(); }
  /// The activation that follows. A caller that asks for it fuses it into the last operator;
  /// otherwise it becomes an operator.
  ActivationFunctionType activation() {
    return std::exchange(activation_, ActivationFunctionType::NONE);
  }
  Value refuse(const Failure& failure) { return emitter_.refuse(failure, result()); }
  virtual const Graph& graph() const = 0;

 protected:
  explicit LoweringContext(Emitter& e) : emitter_(e) {}

  Emitter& emitter_;
  MLOperand result_{};  // that of the last operator of the group
  std::vector<Dims> shapes_{};
  std::optional<Quantizer> quantizer_{};
  ActivationFunctionType activation_ = ActivationFunctionType::NONE;
};

/// Why operators of a graph with open dimensions are not right in TFLite at every size.
std::vector<std::string> open_refusals(const Graph& open);

// Helpers of several families.

/// The type in which elements are moved, added or compared: another one where TFLite has no kernels
/// for their type.
TensorType movable(TensorType type);
TensorType addable(TensorType type);
TensorType comparable(TensorType type);
/// f(x) on a type that TFLite moves. Elements of uint32 go as int32, with the same bits.
template <class F> Value moved(LoweringContext& s, const MLOperand& x, F&& f) {
  Emitter& e = s.e();
  const Value from = s(x);
  const TensorType type = e.type(from);
  return e.cast(f(e.cast(from, movable(type))), type);
}
/// A unary operator of TFLite with the type of its input; quantized in a quantized group.
Values unary(LoweringContext& s, BuiltinOperator code, const MLOperand& x);
/// The exact form, not the one with tanh.
Value exact_gelu(Emitter& e, Value x);
/// The activation that an operator is, if TFLite has it fused.
std::optional<ActivationFunctionType> fusable(const Node& node);
Value apply(Emitter& e, ActivationFunctionType activation, Value x);
/// min(max(x, low), high); an infinite bound does not bind.
Value clamped(Emitter& e, Value x, double low, double high);
/// 1 / sqrt(x + epsilon)
Value inverse_root(Emitter& e, Value x, double epsilon);
/// x * weight^T + bias with weight [N, K], in the runtime's FULLY_CONNECTED; x has rank 2, or more
/// with keep_dims.
Value fully_connected(Emitter& e, Value x, Value weight, Value bias, TensorSpec result,
                      bool keep_dims, ActivationFunctionType activation);
/// Indices of int32 or int64, none negative and all below size; constants are corrected here.
Value indices_below(LoweringContext& s, const MLOperand& indices,
                    const std::vector<std::uint32_t>& sizes);
constexpr std::int32_t signed_of(std::uint32_t v) { return static_cast<std::int32_t>(v); }

// The overloads.

#include "src/formats/common/lower.inc"

}  // namespace webnn::inline v0_1::tflite::exporter
