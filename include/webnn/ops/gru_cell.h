// gruCell: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-grucell
#pragma once

#include "webnn/shape/recurrent.h"

namespace webnn::inline v0_1 {

struct MLGruCellOptions {
  std::optional<MLOperand> bias{};           ///< [3H]; zero when absent
  std::optional<MLOperand> recurrentBias{};  ///< [3H]; zero when absent
  bool resetAfter = true;  ///< the reset gate multiplies the product with the recurrent weight
  MLGruWeightLayout layout = MLGruWeightLayout::zrn;  ///< the order of the gates
  Activations activations = std::nullopt;             ///< sigmoid, tanh when absent
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

struct gruCell {
  MLOperand input;
  MLOperand weight;
  MLOperand recurrentWeight;
  MLOperand hiddenState;
  std::uint32_t hiddenSize = 0;
  MLGruCellOptions options{};

  static constexpr auto declaration =
      declare("gruCell", operand<&gruCell::input>("input", allow(types::floats, {2, 2})),
              operand<&gruCell::weight>("weight", type_of("input", {2, 2})),
              operand<&gruCell::recurrentWeight>("recurrentWeight", type_of("input", {2, 2})),
              operand<&gruCell::hiddenState>("hiddenState", type_of("input", {2, 2})),
              attribute<&gruCell::hiddenSize>("hiddenSize"),
              operand<&MLGruCellOptions::bias>("bias", type_of("input", {1, 1})),
              operand<&MLGruCellOptions::recurrentBias>("recurrentBias", type_of("input", {1, 1})),
              attribute<&MLGruCellOptions::resetAfter>("resetAfter"),
              attribute<&MLGruCellOptions::layout>("layout"),
              attribute<&MLGruCellOptions::activations>("activations"),
              result("output", type_of("input", {2, 2})));
};

inline Result<Shapes> infer(const gruCell& op) {
  const MLGruCellOptions& o = op.options;
  const std::uint64_t batch = op.input.shape()[0], inputs = op.input.shape()[1];
  const std::uint64_t hidden = op.hiddenSize;
  if (auto bad = shape::check_shape("weight", op.weight, {3 * hidden, inputs})) return *bad;
  if (auto bad = shape::check_shape("recurrentWeight", op.recurrentWeight, {3 * hidden, hidden}))
    return *bad;
  if (auto bad = shape::check_shape("hiddenState", op.hiddenState, {batch, hidden})) return *bad;
  if (auto bad = shape::check_hidden_size(op.hiddenSize, 3)) return *bad;
  if (auto bad = shape::check_shape("bias", o.bias, {3 * hidden})) return *bad;
  if (auto bad = shape::check_shape("recurrentBias", o.recurrentBias, {3 * hidden})) return *bad;
  if (auto bad = shape::check_activations(o.activations, 2)) return *bad;
  return Sizes{batch, hidden};
}

struct GruCellSection {
  using Operators = OpList<gruCell>;

  template <class Self, class Out, class... First> struct Methods {
    /// One step of gru: the next state [N, H] from input [N, I] and hiddenState [N, H], with weight
    /// [3H, I] and recurrentWeight [3H, H] in the gate order of `layout`; float32, float16 or
    /// bfloat16, one type for all. Throws TypeError if an operand has another shape or data type.
    Out gruCell(First... input, const MLOperand& weight, const MLOperand& recurrentWeight,
                const MLOperand& hiddenState, std::uint32_t hiddenSize,
                MLGruCellOptions options = {}) {
      return static_cast<Self&>(*this).template call<ops::gruCell>(
          input..., weight, recurrentWeight, hiddenState, hiddenSize, std::move(options));
    }
  };
};

}  // namespace webnn::inline v0_1::ops
