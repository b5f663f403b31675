// WebNN's operators in terms of XNNPACK's nodes: an overload of lower() for each, in the file of
// its family. Private.
#pragma once

#include "src/formats/common/lowering.h"
#include "src/formats/executorch/export/emitter.h"

namespace webnn::executorch::exporter {

using Values = formats::Values<Value>;

/// The values of operands, and the group that the operator is exported with.
class LoweringContext {
 public:
  virtual ~LoweringContext() = default;

  /// The value of an operand; in a quantized group the elements behind its dequantizeLinear.
  virtual Value operator()(const MLOperand& x) = 0;
  /// The bias of a convolution or product: in a quantized group in units of the product of both
  /// scales. Nothing for none.
  virtual Value bias(const std::optional<MLOperand>& x, Value input, Value filter) = 0;

  Emitter& e() { return emitter_; }
  /// Of the operator's only result; its quantization in a quantized group.
  Spec result() const { return result_; }
  Spec result(Dims shape) const { return {result_.type, std::move(shape), result_.quantizer}; }
  const std::vector<Dims>& result_shapes() const { return shapes_; }
  bool quantized() const { return result_.quantizer.has_value(); }
  /// What clamps the result. A caller that asks for it gives it to the last node; otherwise it
  /// becomes a node.
  Limits limits() { return std::exchange(limits_, Limits{}); }
  Value refuse(const Failure& failure) { return emitter_.refuse(failure, result()); }

 protected:
  explicit LoweringContext(Emitter& e) : emitter_(e) {}

  Emitter& emitter_;
  Spec result_{};
  std::vector<Dims> shapes_{};
  Limits limits_{};
};

// Helpers of several families.

inline const Dims to_nhwc{0, 2, 3, 1}, to_nchw{0, 3, 1, 2};
inline Value to_image(Emitter& e, Value x, MLInputOperandLayout layout) {
  return layout == MLInputOperandLayout::nchw ? e.transpose(x, to_nhwc) : x;
}
inline Value from_image(Emitter& e, Value y, MLInputOperandLayout layout) {
  return layout == MLInputOperandLayout::nchw ? e.transpose(y, to_nchw) : y;
}
inline Dims image_shape(const Dims& shape, MLInputOperandLayout layout) {
  return layout == MLInputOperandLayout::nchw ? permuted(shape, to_nhwc) : shape;
}
/// The limits that a relu or clamp stands for; nothing for another operator, or numbers that are
/// not floats.
std::optional<Limits> limits_of(const Node& node);
/// (x - mean) / sqrt(variance + epsilon) * scale + bias, where scale and bias broadcast to x.
Value normalized(Emitter& e, Value x, Value mean, Value variance, double epsilon, Value scale,
                 Value bias);

// The overloads.

Values lower(LoweringContext&, const ops::argMin&);
Values lower(LoweringContext&, const ops::argMax&);
Values lower(LoweringContext&, const ops::batchNormalization&);
Values lower(LoweringContext&, const ops::cast&);
Values lower(LoweringContext&, const ops::clamp&);
Values lower(LoweringContext&, const ops::concat&);
Values lower(LoweringContext&, const ops::conv2d&);
Values lower(LoweringContext&, const ops::convTranspose2d&);
Values lower(LoweringContext&, const ops::add&);
Values lower(LoweringContext&, const ops::sub&);
Values lower(LoweringContext&, const ops::mul&);
Values lower(LoweringContext&, const ops::div&);
Values lower(LoweringContext&, const ops::max&);
Values lower(LoweringContext&, const ops::min&);
Values lower(LoweringContext&, const ops::pow&);
Values lower(LoweringContext&, const ops::abs&);
Values lower(LoweringContext&, const ops::ceil&);
Values lower(LoweringContext&, const ops::cos&);
Values lower(LoweringContext&, const ops::exp&);
Values lower(LoweringContext&, const ops::floor&);
Values lower(LoweringContext&, const ops::identity&);
Values lower(LoweringContext&, const ops::log&);
Values lower(LoweringContext&, const ops::neg&);
Values lower(LoweringContext&, const ops::reciprocal&);
Values lower(LoweringContext&, const ops::sin&);
Values lower(LoweringContext&, const ops::sqrt&);
Values lower(LoweringContext&, const ops::tan&);
Values lower(LoweringContext&, const ops::dequantizeLinear&);
Values lower(LoweringContext&, const ops::quantizeLinear&);
Values lower(LoweringContext&, const ops::elu&);
Values lower(LoweringContext&, const ops::expand&);
Values lower(LoweringContext&, const ops::gelu&);
Values lower(LoweringContext&, const ops::gemm&);
Values lower(LoweringContext&, const ops::hardSigmoid&);
Values lower(LoweringContext&, const ops::hardSwish&);
Values lower(LoweringContext&, const ops::instanceNormalization&);
Values lower(LoweringContext&, const ops::layerNormalization&);
Values lower(LoweringContext&, const ops::leakyRelu&);
Values lower(LoweringContext&, const ops::linear&);
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
Values lower(LoweringContext&, const ops::reduceSum&);
Values lower(LoweringContext&, const ops::reduceSumSquare&);
Values lower(LoweringContext&, const ops::relu&);
Values lower(LoweringContext&, const ops::resample2d&);
Values lower(LoweringContext&, const ops::reshape&);
Values lower(LoweringContext&, const ops::sigmoid&);
Values lower(LoweringContext&, const ops::slice&);
Values lower(LoweringContext&, const ops::softmax&);
Values lower(LoweringContext&, const ops::softplus&);
Values lower(LoweringContext&, const ops::softsign&);
Values lower(LoweringContext&, const ops::split&);
Values lower(LoweringContext&, const ops::tanh&);
Values lower(LoweringContext&, const ops::tile&);
Values lower(LoweringContext&, const ops::transpose&);

}  // namespace webnn::executorch::exporter
