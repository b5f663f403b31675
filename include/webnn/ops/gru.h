// gru: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gru
#pragma once

#include "webnn/shape/recurrent.h"

namespace webnn::inline v0_1 {

/// D is the number of directions, H the hidden size, N the batch.
struct MLGruOptions {
  std::optional<MLOperand> bias{};                ///< [D, 3H]; zero when absent
  std::optional<MLOperand> recurrentBias{};       ///< [D, 3H]; zero when absent
  std::optional<MLOperand> initialHiddenState{};  ///< [D, N, H]; zero when absent
  bool resetAfter = true;       ///< the reset gate multiplies the product with the recurrent weight
  bool returnSequence = false;  ///< also return the state after each step
  MLRecurrentNetworkDirection direction =
      MLRecurrentNetworkDirection::forward;           ///< both: two networks, D = 2
  MLGruWeightLayout layout = MLGruWeightLayout::zrn;  ///< the order of the gates
  Activations activations = std::nullopt;             ///< sigmoid, tanh when absent
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct gru {
  MLOperand input;
  MLOperand weight;
  MLOperand recurrentWeight;
  std::uint32_t steps = 0;
  std::uint32_t hiddenSize = 0;
  MLGruOptions options{};

  static constexpr auto declaration = declare(
      "gru", operand<&gru::input>("input", allow(types::floats, {3, 3})),
      operand<&gru::weight>("weight", type_of("input", {3, 3})),
      operand<&gru::recurrentWeight>("recurrentWeight", type_of("input", {3, 3})),
      attribute<&gru::steps>("steps"), attribute<&gru::hiddenSize>("hiddenSize"),
      operand<&MLGruOptions::bias>("bias", type_of("input", {2, 2})),
      operand<&MLGruOptions::recurrentBias>("recurrentBias", type_of("input", {2, 2})),
      operand<&MLGruOptions::initialHiddenState>("initialHiddenState", type_of("input", {3, 3})),
      attribute<&MLGruOptions::resetAfter>("resetAfter"),
      attribute<&MLGruOptions::returnSequence>("returnSequence"),
      attribute<&MLGruOptions::direction>("direction"), attribute<&MLGruOptions::layout>("layout"),
      attribute<&MLGruOptions::activations>("activations"),
      result("output0", type_of("input", {3, 3})),   // the last hidden state
      result("output1", type_of("input", {4, 4})));  // all hidden states, if returnSequence
};

inline Result<Shapes> infer(const gru& op) {
  const MLGruOptions& o = op.options;
  const Dims& in = op.input.shape();
  if (in[0] != op.steps)
    return detail::fail("dimension 0 ({}) of input is not steps ({})", in[0], op.steps);
  const std::uint64_t directions = shape::directions(o.direction), hidden = op.hiddenSize;
  const Sizes bias{directions, 3 * hidden}, state{directions, in[1], hidden};
  if (auto bad = shape::check_shape("weight", op.weight, {directions, 3 * hidden, in[2]}))
    return *bad;
  if (auto bad = shape::check_shape("recurrentWeight", op.recurrentWeight,
                                    {directions, 3 * hidden, hidden}))
    return *bad;
  if (auto bad = shape::check_hidden_size(op.hiddenSize, 3)) return *bad;
  if (auto bad = shape::check_shape("bias", o.bias, bias)) return *bad;
  if (auto bad = shape::check_shape("recurrentBias", o.recurrentBias, bias)) return *bad;
  if (auto bad = shape::check_shape("initialHiddenState", o.initialHiddenState, state)) return *bad;
  if (auto bad = shape::check_activations(o.activations, 2)) return *bad;

  std::vector<Sizes> out{state};
  if (o.returnSequence) out.push_back({op.steps, directions, in[1], hidden});
  return Shapes(std::move(out));
}

struct GruSection {
  using Operators = OpList<gru>;

  template <class Self, class Out, class... First> struct Methods {
    /// Gated recurrent unit over the steps of input [steps, N, I], with weight [D, 3H, I] and
    /// recurrentWeight [D, 3H, H] in the gate order of `layout`; float32, float16 or bfloat16, one
    /// type for all. Returns the last state [D, N, H] and, with returnSequence, the state after
    /// each step [steps, D, N, H], at the step's own place also backward. Where dimension 0 of
    /// input is open, steps may be 0: each run has as many steps as input, an extension. Throws
    /// TypeError if an operand has another shape or data type.
    std::vector<Out> gru(First... input, const MLOperand& weight, const MLOperand& recurrentWeight,
                         std::uint32_t steps, std::uint32_t hiddenSize, MLGruOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::gru>(
          input..., weight, recurrentWeight, steps, hiddenSize, std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
