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
  /// Whether runs choose the size of a dimension; x.shape() has one of those that were tried.
  virtual bool is_open(const MLOperand& x, std::uint32_t axis) const = 0;
  bool is_open(const MLOperand& x) const {
    for (std::uint32_t d = 0; d < x.rank(); ++d)
      if (is_open(x, d)) return true;
    return false;
  }
  /// Whether a dimension has the size of another one in every run.
  virtual bool are_same(const MLOperand& x, std::uint32_t axis, const MLOperand& y,
                        std::uint32_t other) const = 0;
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

Values lower(LoweringContext&, const ops::shapeOf&);
Values lower(LoweringContext&, const ops::rank&);
Values lower(LoweringContext&, const ops::dimension&);
Values lower(LoweringContext&, const ops::range&);
Values lower(LoweringContext&, const ops::squeeze&);
Values lower(LoweringContext&, const ops::unsqueeze&);
Values lower(LoweringContext&, const ops::reshapeTo2d&);
Values lower(LoweringContext&, const ops::reshapeDynamic&);
Values lower(LoweringContext&, const ops::expandDynamic&);
Values lower(LoweringContext&, const ops::tileDynamic&);
Values lower(LoweringContext&, const ops::sliceDynamic&);
Values lower(LoweringContext&, const ops::padDynamic&);
Values lower(LoweringContext&, const ops::splitDynamic&);
Values lower(LoweringContext&, const ops::resample2dDynamic&);

/// A node of the domain in the name of the operator.
Values lower(LoweringContext&, const ops::custom&, std::span<const MLOperand> outputs);

/// Why the nodes of operators of a graph with open dimensions are not right at every size.
std::vector<std::string> open_refusals(const Graph& open);

/// The attribute `mode` of Pad.
inline std::string_view pad_mode(MLPaddingMode mode) {
  return mode == MLPaddingMode::constant ? "constant"
         : mode == MLPaddingMode::edge   ? "edge"
                                         : "reflect";
}

}  // namespace webnn::inline v0_1::onnx::exporter
