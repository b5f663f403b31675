// lstm: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstm
#pragma once

#include "webnn/shape/recurrent.h"

namespace webnn::inline v0_1 {

/// D is the number of directions, H the hidden size, N the batch.
struct MLLstmOptions {
  std::optional<MLOperand> bias{};                ///< [D, 4H]; zero when absent
  std::optional<MLOperand> recurrentBias{};       ///< [D, 4H]; zero when absent
  std::optional<MLOperand> peepholeWeight{};      ///< [D, 3H]: input, output, forget gate always
  std::optional<MLOperand> initialHiddenState{};  ///< [D, N, H]; zero when absent
  std::optional<MLOperand> initialCellState{};    ///< [D, N, H]; zero when absent
  bool returnSequence = false;                    ///< also return the hidden state after each step
  MLRecurrentNetworkDirection direction =
      MLRecurrentNetworkDirection::forward;              ///< both: two networks, D = 2
  MLLstmWeightLayout layout = MLLstmWeightLayout::iofg;  ///< the order of the gates
  Activations activations = std::nullopt;                ///< sigmoid, tanh, tanh when absent
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct lstm {
  MLOperand input;
  MLOperand weight;
  MLOperand recurrentWeight;
  std::uint32_t steps = 0;
  std::uint32_t hiddenSize = 0;
  MLLstmOptions options{};

  static constexpr auto declaration = declare(
      "lstm", operand<&lstm::input>("input", allow(types::floats, {3, 3})),
      operand<&lstm::weight>("weight", type_of("input", {3, 3})),
      operand<&lstm::recurrentWeight>("recurrentWeight", type_of("input", {3, 3})),
      attribute<&lstm::steps>("steps"), attribute<&lstm::hiddenSize>("hiddenSize"),
      operand<&MLLstmOptions::bias>("bias", type_of("input", {2, 2})),
      operand<&MLLstmOptions::recurrentBias>("recurrentBias", type_of("input", {2, 2})),
      operand<&MLLstmOptions::peepholeWeight>("peepholeWeight", type_of("input", {2, 2})),
      operand<&MLLstmOptions::initialHiddenState>("initialHiddenState", type_of("input", {3, 3})),
      operand<&MLLstmOptions::initialCellState>("initialCellState", type_of("input", {3, 3})),
      attribute<&MLLstmOptions::returnSequence>("returnSequence"),
      attribute<&MLLstmOptions::direction>("direction"),
      attribute<&MLLstmOptions::layout>("layout"),
      attribute<&MLLstmOptions::activations>("activations"),
      result("output0", type_of("input", {3, 3})),   // the last hidden state
      result("output1", type_of("input", {3, 3})),   // the last cell state
      result("output2", type_of("input", {4, 4})));  // all hidden states, if returnSequence
};

inline Result<Shapes> infer(const lstm& op) {
  const MLLstmOptions& o = op.options;
  const Dims& in = op.input.shape();
  if (op.steps == 0) return detail::fail("steps is zero");
  if (in[0] != op.steps)
    return detail::fail("dimension 0 ({}) of input is not steps ({})", in[0], op.steps);
  const std::uint64_t directions = shape::directions(o.direction), hidden = op.hiddenSize;
  const Sizes bias{directions, 4 * hidden}, state{directions, in[1], hidden};
  if (auto bad = shape::check_shape("weight", op.weight, {directions, 4 * hidden, in[2]}))
    return *bad;
  if (auto bad = shape::check_shape("recurrentWeight", op.recurrentWeight,
                                    {directions, 4 * hidden, hidden}))
    return *bad;
  if (auto bad = shape::check_hidden_size(op.hiddenSize, 4)) return *bad;
  if (auto bad = shape::check_shape("bias", o.bias, bias)) return *bad;
  if (auto bad = shape::check_shape("recurrentBias", o.recurrentBias, bias)) return *bad;
  if (auto bad = shape::check_shape("peepholeWeight", o.peepholeWeight, {directions, 3 * hidden}))
    return *bad;
  if (auto bad = shape::check_shape("initialHiddenState", o.initialHiddenState, state)) return *bad;
  if (auto bad = shape::check_shape("initialCellState", o.initialCellState, state)) return *bad;
  if (auto bad = shape::check_activations(o.activations, 3)) return *bad;

  std::vector<Sizes> out{state, state};
  if (o.returnSequence) out.push_back({op.steps, directions, in[1], hidden});
  return Shapes(std::move(out));
}

struct LstmSection {
  using Operators = OpList<lstm>;

  template <class Self, class Out, class... First> struct Methods {
    /// Long short-term memory over the steps of input [steps, N, I], with weight [D, 4H, I] and
    /// recurrentWeight [D, 4H, H] in the gate order of `layout`; float32, float16 or bfloat16, one
    /// type for all. Returns the last hidden and cell state [D, N, H] and, with returnSequence, the
    /// hidden state after each step [steps, D, N, H], at the step's own place also backward. Where
    /// dimension 0 of input is open, steps may be 0: each run has as many steps as input, an
    /// extension. Throws TypeError if an operand has another shape or data type.
    std::vector<Out> lstm(First... input, const MLOperand& weight, const MLOperand& recurrentWeight,
                          std::uint32_t steps, std::uint32_t hiddenSize,
                          MLLstmOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::lstm>(
          input..., weight, recurrentWeight, steps, hiddenSize, std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
