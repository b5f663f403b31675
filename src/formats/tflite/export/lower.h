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

/// The values that operands have become, and what an operator is exported together with.
class Site {
 public:
  virtual ~Site() = default;

  /// The value of an operand; in a quantised group the elements behind its dequantizeLinear.
  virtual Value operator()(const MLOperand& x) = 0;
  Value operator()(const std::optional<MLOperand>& x) { return x ? (*this)(*x) : Value{}; }
  /// The bias of a convolution or product in units of the product of both scales.
  virtual Value bias(const MLOperand& x, Value input, Value filter) = 0;
  virtual Value zero_bias(std::uint32_t channels, Value input, Value filter) = 0;

  Emitter& e() { return emitter_; }
  /// Of the operator's only result; its quantisation in a quantised group.
  TensorSpec result() const { return {type_of(result_.dataType()), result_.shape(), quantizer_}; }
  TensorSpec result(Dims shape) const { return {type_of(result_.dataType()), shape, quantizer_}; }
  const std::vector<Dims>& result_shapes() const { return shapes_; }
  bool quantized() const { return quantizer_.has_value(); }
  /// The activation that follows. Who asks for it puts it into the last operator; else it becomes
  /// one of its own.
  ActivationFunctionType activation() {
    return std::exchange(activation_, ActivationFunctionType::NONE);
  }
  Value refuse(const Failure& failure) { return emitter_.refuse(failure, result()); }
  virtual const Graph& graph() const = 0;

 protected:
  explicit Site(Emitter& e) : emitter_(e) {}

  Emitter& emitter_;
  MLOperand result_{};  // of the last operator of the group
  std::vector<Dims> shapes_{};
  std::optional<Quantizer> quantizer_{};
  ActivationFunctionType activation_ = ActivationFunctionType::NONE;
};

// Helpers of several families.

/// The type in which elements are moved, added and compared where TFLite has no kernels for theirs.
TensorType movable(TensorType type);
TensorType addable(TensorType type);
TensorType comparable(TensorType type);
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
/// Indices of int32 or int64, none negative and all below size; constants are put right here.
Value indices_below(Site& s, const MLOperand& indices, const std::vector<std::uint32_t>& sizes);
constexpr std::int32_t signed_of(std::uint32_t v) { return static_cast<std::int32_t>(v); }

// The overloads.

Values lower(Site&, const ops::argMin&);
Values lower(Site&, const ops::argMax&);
Values lower(Site&, const ops::batchNormalization&);
Values lower(Site&, const ops::cast&);
Values lower(Site&, const ops::clamp&);
Values lower(Site&, const ops::concat&);
Values lower(Site&, const ops::conv2d&);
Values lower(Site&, const ops::convTranspose2d&);
Values lower(Site&, const ops::cumulativeSum&);
Values lower(Site&, const ops::add&);
Values lower(Site&, const ops::sub&);
Values lower(Site&, const ops::mul&);
Values lower(Site&, const ops::div&);
Values lower(Site&, const ops::max&);
Values lower(Site&, const ops::min&);
Values lower(Site&, const ops::pow&);
Values lower(Site&, const ops::equal&);
Values lower(Site&, const ops::notEqual&);
Values lower(Site&, const ops::greater&);
Values lower(Site&, const ops::greaterOrEqual&);
Values lower(Site&, const ops::lesser&);
Values lower(Site&, const ops::lesserOrEqual&);
Values lower(Site&, const ops::logicalAnd&);
Values lower(Site&, const ops::logicalOr&);
Values lower(Site&, const ops::logicalXor&);
Values lower(Site&, const ops::logicalNot&);
Values lower(Site&, const ops::isNaN&);
Values lower(Site&, const ops::isInfinite&);
Values lower(Site&, const ops::abs&);
Values lower(Site&, const ops::ceil&);
Values lower(Site&, const ops::cos&);
Values lower(Site&, const ops::erf&);
Values lower(Site&, const ops::exp&);
Values lower(Site&, const ops::floor&);
Values lower(Site&, const ops::identity&);
Values lower(Site&, const ops::log&);
Values lower(Site&, const ops::neg&);
Values lower(Site&, const ops::reciprocal&);
Values lower(Site&, const ops::roundEven&);
Values lower(Site&, const ops::sign&);
Values lower(Site&, const ops::sin&);
Values lower(Site&, const ops::sqrt&);
Values lower(Site&, const ops::tan&);
Values lower(Site&, const ops::dequantizeLinear&);
Values lower(Site&, const ops::quantizeLinear&);
Values lower(Site&, const ops::elu&);
Values lower(Site&, const ops::expand&);
Values lower(Site&, const ops::gather&);
Values lower(Site&, const ops::gatherElements&);
Values lower(Site&, const ops::gatherND&);
Values lower(Site&, const ops::gelu&);
Values lower(Site&, const ops::gemm&);
Values lower(Site&, const ops::gru&);
Values lower(Site&, const ops::gruCell&);
Values lower(Site&, const ops::hardSigmoid&);
Values lower(Site&, const ops::hardSwish&);
Values lower(Site&, const ops::instanceNormalization&);
Values lower(Site&, const ops::layerNormalization&);
Values lower(Site&, const ops::leakyRelu&);
Values lower(Site&, const ops::linear&);
Values lower(Site&, const ops::lstm&);
Values lower(Site&, const ops::lstmCell&);
Values lower(Site&, const ops::matmul&);
Values lower(Site&, const ops::pad&);
Values lower(Site&, const ops::averagePool2d&);
Values lower(Site&, const ops::l2Pool2d&);
Values lower(Site&, const ops::maxPool2d&);
Values lower(Site&, const ops::prelu&);
Values lower(Site&, const ops::reduceL1&);
Values lower(Site&, const ops::reduceL2&);
Values lower(Site&, const ops::reduceLogSum&);
Values lower(Site&, const ops::reduceLogSumExp&);
Values lower(Site&, const ops::reduceMax&);
Values lower(Site&, const ops::reduceMean&);
Values lower(Site&, const ops::reduceMin&);
Values lower(Site&, const ops::reduceProduct&);
Values lower(Site&, const ops::reduceSum&);
Values lower(Site&, const ops::reduceSumSquare&);
Values lower(Site&, const ops::relu&);
Values lower(Site&, const ops::resample2d&);
Values lower(Site&, const ops::reshape&);
Values lower(Site&, const ops::reverse&);
Values lower(Site&, const ops::scatterElements&);
Values lower(Site&, const ops::scatterND&);
Values lower(Site&, const ops::sigmoid&);
Values lower(Site&, const ops::slice&);
Values lower(Site&, const ops::softmax&);
Values lower(Site&, const ops::softplus&);
Values lower(Site&, const ops::softsign&);
Values lower(Site&, const ops::split&);
Values lower(Site&, const ops::tanh&);
Values lower(Site&, const ops::tile&);
Values lower(Site&, const ops::transpose&);
Values lower(Site&, const ops::triangular&);
Values lower(Site&, const ops::where&);

}  // namespace webnn::tflite::exporter
