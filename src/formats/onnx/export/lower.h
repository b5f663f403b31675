// WebNN's operators in terms of ONNX's: an overload of lower() for each, in the file of its family.
// Private.
#pragma once

#include "src/formats/common/lowering.h"
#include "src/formats/onnx/export/emitter.h"

namespace webnn::inline v0_1::onnx::exporter {

using Values = formats::Values<Value>;

class LoweringContext : public formats::LoweringContext<Emitter, Value> {
 public:
  /// The operator with that result; nothing for inputs and constants.
  virtual std::optional<Node> producer_of(const MLOperand& x) const = 0;
  /// None when it is absent.
  Value given(const std::optional<MLOperand>& x) { return x ? (*this)(*x) : Value(); }

 protected:
  using formats::LoweringContext<Emitter, Value>::LoweringContext;
};

/// For docs/formats/onnx.md: the operators of ONNX that do the work of one of WebNN, and what is
/// composed or refused. In the order of ops::AllOps.
struct Lowering {
  std::string_view op, nodes, note = "";
};
std::span<const Lowering> lowerings();

#include "src/formats/common/lower.inc"

}  // namespace webnn::inline v0_1::onnx::exporter
