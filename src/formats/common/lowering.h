// What the exporters' overloads of lower() take and give.
#pragma once

#include <utility>
#include <vector>

#include "src/graph/failure.h"
#include "webnn/operand.h"

namespace webnn::inline v0_1::formats {

/// The results of an operator.
template <class Value> struct Values : std::vector<Value> {
  Values(Value x) : std::vector<Value>{x} {}
  Values(std::vector<Value> list) : std::vector<Value>(std::move(list)) {}
};

/// The values of operands, and what the operator's results are, for a format whose booleans have a
/// type of their own.
template <class Emitter, class Value> class LoweringContext {
 public:
  virtual ~LoweringContext() = default;

  /// The value of an operand; booleans are uint8.
  virtual Value operator()(const MLOperand& x) = 0;
  /// The value of an operand as booleans.
  virtual Value truth(const MLOperand& x) = 0;

  Emitter& e() { return emitter_; }
  MLOperandDataType type() const { return type_; }
  const Dims& shape() const { return shapes_.front(); }
  const std::vector<Dims>& shapes() const { return shapes_; }
  Value refuse(const Failure& failure) { return emitter_.refuse(failure, type_, shape()); }

 protected:
  explicit LoweringContext(Emitter& e) : emitter_(e) {}

  Emitter& emitter_;
  MLOperandDataType type_ = MLOperandDataType::float32;
  std::vector<Dims> shapes_{};
};

}  // namespace webnn::inline v0_1::formats
