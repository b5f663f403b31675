// WebNN's operators in terms of XNNPACK's nodes: an overload of lower() for each, in the file of
// its family. Private.
#pragma once

#include "src/formats/common/lowering.h"
#include "src/formats/executorch/export/emitter.h"

namespace webnn::inline v0_1::executorch::exporter {

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
  /// What the operator's only result is; in a quantized group with its quantization.
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

/// What XNNPACK has no nodes for. All other operators have an overload of lower().
using Refused =
    ops::OpList<ops::cumulativeSum, ops::equal, ops::notEqual, ops::greater, ops::greaterOrEqual,
                ops::lesser, ops::lesserOrEqual, ops::logicalAnd, ops::logicalOr, ops::logicalXor,
                ops::logicalNot, ops::isNaN, ops::isInfinite, ops::erf, ops::roundEven, ops::sign,
                ops::gather, ops::gatherElements, ops::gatherND, ops::gru, ops::gruCell, ops::lstm,
                ops::lstmCell, ops::reduceProduct, ops::reverse, ops::scatterElements,
                ops::scatterND, ops::triangular, ops::where, ops::modulusFloor,
                ops::modulusTruncate>;

#include "src/formats/common/lower.inc"

}  // namespace webnn::inline v0_1::executorch::exporter
