// Writes quantized operators, beside the float ones that they are compared with.
#pragma once

#include <map>

#include "src/graph/graph_data.h"
#include "src/quantization/range.h"
#include "src/quantization/selection.h"
#include "src/quantization/weights.h"

namespace webnn::inline v0_1 {

/// What a quantization of a graph has decided.
struct Plan {
  const Graph& graph;
  const QuantizationOptions& options;
  Selection selection{};
  std::vector<ScaleAndZero> scales{};  ///< by operand, for those that are quantized
};

class Writer {
 public:
  explicit Writer(const Plan& plan);

  /// The whole graph in float.
  void write_float();
  /// The whole graph with its units quantized.
  void write_quantized();
  /// The result of a unit that alone is quantized, in real numbers; after write_float().
  std::vector<MLOperand> write_alone(const Unit& unit);

  /// A value of the graph in float or quantized, as real numbers.
  MLOperand in_float(const MLOperand& x) { return read(float_, x); }
  MLOperand in_quantized(const MLOperand& x);
  /// The ratio for the weights of a unit, where they are constants.
  double weights_snr(const Unit& unit) const;

  /// The graph with these outputs.
  Graph finish(const NamedOperands& outputs);

 private:
  using Values = std::map<std::uint32_t, MLOperand>;  // by operand of the graph

  MLOperand read(Values& values, const MLOperand& x);
  MLOperand real(Values& values, Values& reals, const MLOperand& x);
  std::vector<MLOperand> copy_node(std::size_t node, const std::vector<MLOperand>& operands);
  std::vector<MLOperand> write_unit(Values& values, Values& reals, const Unit& unit);
  std::vector<MLOperand> operands_of_unit(Values& values, Values& reals, const Unit& unit);
  MLOperand quantized_constant(const MLOperand& x, const ScaleAndZero& s);
  MLOperand rounded(const MLOperand& x, const ScaleAndZero& s);
  MLOperand rounded_by_range(const MLOperand& x);
  MLOperand weights(const QuantizedConstant& made);
  MLOperand constant(MLOperandDescriptor d, Constant bytes);
  MLOperand number(MLOperandDataType type, double v, std::uint32_t rank = 0);
  template <class T> MLOperand add(T op, const MLOperandDescriptor& d, const MLOperand& like = {});

  const Plan& plan_;
  std::shared_ptr<GraphData> data_ = std::make_shared<GraphData>();
  Values inputs_{}, float_{}, quantized_{};  // inputs and constants, which all share; results
  Values float_reals_{}, quantized_reals_{};
  std::map<std::size_t, MLOperand> weights_{}, biases_{};  // by unit
};

}  // namespace webnn::inline v0_1
