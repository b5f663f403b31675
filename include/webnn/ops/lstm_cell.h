// lstmCell: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstmcell
#pragma once

#include "webnn/shape/recurrent.h"

namespace webnn::inline v0_1 {

struct MLLstmCellOptions {
  std::optional<MLOperand> bias{};            ///< [4H]; zero when absent
  std::optional<MLOperand> recurrentBias{};   ///< [4H]; zero when absent
  std::optional<MLOperand> peepholeWeight{};  ///< [3H]: input, output, forget gate in any layout
  MLLstmWeightLayout layout = MLLstmWeightLayout::iofg;  ///< the order of the gates
  Activations activations = std::nullopt;                ///< sigmoid, tanh, tanh when absent
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct lstmCell {
  MLOperand input;
  MLOperand weight;
  MLOperand recurrentWeight;
  MLOperand hiddenState;
  MLOperand cellState;
  std::uint32_t hiddenSize = 0;
  MLLstmCellOptions options{};

  static constexpr auto declaration = declare(
      "lstmCell", operand<&lstmCell::input>("input", allow(types::floats, {2, 2})),
      operand<&lstmCell::weight>("weight", type_of("input", {2, 2})),
      operand<&lstmCell::recurrentWeight>("recurrentWeight", type_of("input", {2, 2})),
      operand<&lstmCell::hiddenState>("hiddenState", type_of("input", {2, 2})),
      operand<&lstmCell::cellState>("cellState", type_of("input", {2, 2})),
      attribute<&lstmCell::hiddenSize>("hiddenSize"),
      operand<&MLLstmCellOptions::bias>("bias", type_of("input", {1, 1})),
      operand<&MLLstmCellOptions::recurrentBias>("recurrentBias", type_of("input", {1, 1})),
      operand<&MLLstmCellOptions::peepholeWeight>("peepholeWeight", type_of("input", {1, 1})),
      attribute<&MLLstmCellOptions::layout>("layout"),
      attribute<&MLLstmCellOptions::activations>("activations"),
      result("output0", type_of("input", {2, 2})),   // the next hidden state
      result("output1", type_of("input", {2, 2})));  // the next cell state
};

inline Result<Shapes> infer(const lstmCell& op) {
  const MLLstmCellOptions& o = op.options;
  const std::uint64_t batch = op.input.shape()[0], inputs = op.input.shape()[1];
  const std::uint64_t hidden = op.hiddenSize;
  const Sizes bias{4 * hidden}, state{batch, hidden};
  if (auto bad = shape::check_shape("weight", op.weight, {4 * hidden, inputs})) return *bad;
  if (auto bad = shape::check_shape("recurrentWeight", op.recurrentWeight, {4 * hidden, hidden}))
    return *bad;
  if (auto bad = shape::check_shape("hiddenState", op.hiddenState, state)) return *bad;
  if (auto bad = shape::check_shape("cellState", op.cellState, state)) return *bad;
  if (auto bad = shape::check_hidden_size(op.hiddenSize, 4)) return *bad;
  if (auto bad = shape::check_shape("bias", o.bias, bias)) return *bad;
  if (auto bad = shape::check_shape("recurrentBias", o.recurrentBias, bias)) return *bad;
  if (auto bad = shape::check_shape("peepholeWeight", o.peepholeWeight, {3 * hidden})) return *bad;
  if (auto bad = shape::check_activations(o.activations, 3)) return *bad;
  return Shapes(std::vector<Sizes>{state, state});
}

struct LstmCellSection {
  using Operators = OpList<lstmCell>;

  template <class Self, class Out, class... First> struct Methods {
    /// One step of lstm: the next hidden state and the next cell state, both [N, H], from input [N,
    /// I], hiddenState and cellState [N, H], with weight [4H, I] and recurrentWeight [4H, H] in the
    /// gate order of `layout`; float32, float16 or bfloat16, one type for all. Throws TypeError if
    /// an operand has another shape or data type.
    std::vector<Out> lstmCell(First... input, const MLOperand& weight,
                              const MLOperand& recurrentWeight, const MLOperand& hiddenState,
                              const MLOperand& cellState, std::uint32_t hiddenSize,
                              MLLstmCellOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::lstmCell>(
          input..., weight, recurrentWeight, hiddenState, cellState, hiddenSize,
          std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
