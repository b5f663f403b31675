// WebNN's operators in terms of TFLite's: an overload of lower() for each, in the file of its
// family.
#pragma once

#include "src/formats/tflite/export/emitter.h"

namespace webnn::tflite::exporter {

/// The results of an operator.
struct Values : std::vector<Value> {
  Values(Value x) : vector{x} {}
  Values(std::vector<Value> list) : vector(std::move(list)) {}
};

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
  /// Of the operator's only result; its quantization in a quantized group.
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
  MLOperand result_{};  // of the last operator of the group
  std::vector<Dims> shapes_{};
  std::optional<Quantizer> quantizer_{};
  ActivationFunctionType activation_ = ActivationFunctionType::NONE;
};

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

Values lower(LoweringContext&, const ops::argMin&);
Values lower(LoweringContext&, const ops::argMax&);
Values lower(LoweringContext&, const ops::batchNormalization&);
Values lower(LoweringContext&, const ops::cast&);
Values lower(LoweringContext&, const ops::clamp&);
Values lower(LoweringContext&, const ops::concat&);
Values lower(LoweringContext&, const ops::conv2d&);
Values lower(LoweringContext&, const ops::convTranspose2d&);
Values lower(LoweringContext&, const ops::cumulativeSum&);
Values lower(LoweringContext&, const ops::add&);
Values lower(LoweringContext&, const ops::sub&);
Values lower(LoweringContext&, const ops::mul&);
Values lower(LoweringContext&, const ops::div&);
Values lower(LoweringContext&, const ops::max&);
Values lower(LoweringContext&, const ops::min&);
Values lower(LoweringContext&, const ops::pow&);
Values lower(LoweringContext&, const ops::equal&);
Values lower(LoweringContext&, const ops::notEqual&);
Values lower(LoweringContext&, const ops::greater&);
Values lower(LoweringContext&, const ops::greaterOrEqual&);
Values lower(LoweringContext&, const ops::lesser&);
Values lower(LoweringContext&, const ops::lesserOrEqual&);
Values lower(LoweringContext&, const ops::logicalAnd&);
Values lower(LoweringContext&, const ops::logicalOr&);
Values lower(LoweringContext&, const ops::logicalXor&);
Values lower(LoweringContext&, const ops::logicalNot&);
Values lower(LoweringContext&, const ops::isNaN&);
Values lower(LoweringContext&, const ops::isInfinite&);
Values lower(LoweringContext&, const ops::abs&);
Values lower(LoweringContext&, const ops::ceil&);
Values lower(LoweringContext&, const ops::cos&);
Values lower(LoweringContext&, const ops::erf&);
Values lower(LoweringContext&, const ops::exp&);
Values lower(LoweringContext&, const ops::floor&);
Values lower(LoweringContext&, const ops::identity&);
Values lower(LoweringContext&, const ops::log&);
Values lower(LoweringContext&, const ops::neg&);
Values lower(LoweringContext&, const ops::reciprocal&);
Values lower(LoweringContext&, const ops::roundEven&);
Values lower(LoweringContext&, const ops::sign&);
Values lower(LoweringContext&, const ops::sin&);
Values lower(LoweringContext&, const ops::sqrt&);
Values lower(LoweringContext&, const ops::tan&);
Values lower(LoweringContext&, const ops::dequantizeLinear&);
Values lower(LoweringContext&, const ops::quantizeLinear&);
Values lower(LoweringContext&, const ops::elu&);
Values lower(LoweringContext&, const ops::expand&);
Values lower(LoweringContext&, const ops::gather&);
Values lower(LoweringContext&, const ops::gatherElements&);
Values lower(LoweringContext&, const ops::gatherND&);
Values lower(LoweringContext&, const ops::gelu&);
Values lower(LoweringContext&, const ops::gemm&);
Values lower(LoweringContext&, const ops::gru&);
Values lower(LoweringContext&, const ops::gruCell&);
Values lower(LoweringContext&, const ops::hardSigmoid&);
Values lower(LoweringContext&, const ops::hardSwish&);
Values lower(LoweringContext&, const ops::instanceNormalization&);
Values lower(LoweringContext&, const ops::layerNormalization&);
Values lower(LoweringContext&, const ops::leakyRelu&);
Values lower(LoweringContext&, const ops::linear&);
Values lower(LoweringContext&, const ops::lstm&);
Values lower(LoweringContext&, const ops::lstmCell&);
Values lower(LoweringContext&, const ops::matmul&);
Values lower(LoweringContext&, const ops::pad&);
Values lower(LoweringContext&, const ops::averagePool2d&);
Values lower(LoweringContext&, const ops::l2Pool2d&);
Values lower(LoweringContext&, const ops::maxPool2d&);
Values lower(LoweringContext&, const ops::prelu&);
Values lower(LoweringContext&, const ops::reduceL1&);
Values lower(LoweringContext&, const ops::reduceL2&);
Values lower(LoweringContext&, const ops::reduceLogSum&);
Values lower(LoweringContext&, const ops::reduceLogSumExp&);
Values lower(LoweringContext&, const ops::reduceMax&);
Values lower(LoweringContext&, const ops::reduceMean&);
Values lower(LoweringContext&, const ops::reduceMin&);
Values lower(LoweringContext&, const ops::reduceProduct&);
Values lower(LoweringContext&, const ops::reduceSum&);
Values lower(LoweringContext&, const ops::reduceSumSquare&);
Values lower(LoweringContext&, const ops::relu&);
Values lower(LoweringContext&, const ops::resample2d&);
Values lower(LoweringContext&, const ops::reshape&);
Values lower(LoweringContext&, const ops::reverse&);
Values lower(LoweringContext&, const ops::scatterElements&);
Values lower(LoweringContext&, const ops::scatterND&);
Values lower(LoweringContext&, const ops::sigmoid&);
Values lower(LoweringContext&, const ops::slice&);
Values lower(LoweringContext&, const ops::softmax&);
Values lower(LoweringContext&, const ops::softplus&);
Values lower(LoweringContext&, const ops::softsign&);
Values lower(LoweringContext&, const ops::split&);
Values lower(LoweringContext&, const ops::tanh&);
Values lower(LoweringContext&, const ops::tile&);
Values lower(LoweringContext&, const ops::transpose&);
Values lower(LoweringContext&, const ops::triangular&);
Values lower(LoweringContext&, const ops::where&);

}  // namespace webnn::tflite::exporter
