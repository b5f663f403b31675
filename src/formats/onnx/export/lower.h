// WebNN's operators in terms of ONNX's: an overload of lower() for each, in the file of its family.
// Private.
#pragma once

#include "src/formats/onnx/export/emitter.h"

namespace webnn::onnx::exporter {

/// The results of an operator.
struct Values : std::vector<Value> {
  Values(Value x) : vector{x} {}
  Values(std::vector<Value> list) : vector(std::move(list)) {}
};

/// The values of operands, and what the operator's results are.
class LoweringContext {
 public:
  virtual ~LoweringContext() = default;

  /// The value of an operand; booleans are uint8.
  virtual Value operator()(const MLOperand& x) = 0;
  /// The same as booleans.
  virtual Value truth(const MLOperand& x) = 0;
  /// The operator with that result; nothing for inputs and constants.
  virtual std::optional<Node> producer_of(const MLOperand& x) const = 0;
  /// None when it is absent.
  Value given(const std::optional<MLOperand>& x) { return x ? (*this)(*x) : Value(); }

  Emitter& e() { return emitter_; }
  MLOperandDataType type() const { return type_; }
  const Dims& shape() const { return shapes_.front(); }
  const std::vector<Dims>& shapes() const { return shapes_; }
  Value refuse(const Failure& failure) { return emitter_.refuse(failure, type_, shape()); }

 protected:
  explicit LoweringContext(Emitter& e) : emitter_(e) {}

  Emitter& emitter_;
  MLOperandDataType type_ = float32;
  std::vector<Dims> shapes_{};
};

/// For docs/formats/onnx.md: the operators of ONNX that do the work of one of WebNN, and what is
/// composed or refused. In the order of ops::AllOps.
struct Lowering {
  std::string_view op, nodes, note = "";
};
std::span<const Lowering> lowerings();

#include "src/formats/common/lower.inc"

}  // namespace webnn::onnx::exporter
