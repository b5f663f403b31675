#include "src/kernels/common/recurrent.h"

#include <algorithm>

#include "src/kernels/common/slot.h"

namespace webnn::inline v0_1 {
namespace {

std::array<std::size_t, 4> gates_of(MLGruWeightLayout layout) {
  if (layout == MLGruWeightLayout::zrn) return {0, 1, 2};
  return {1, 0, 2};
}
std::array<std::size_t, 4> gates_of(MLLstmWeightLayout layout) {
  if (layout == MLLstmWeightLayout::iofg) return {0, 1, 2, 3};
  return {0, 3, 1, 2};
}

std::array<MLRecurrentNetworkActivation, 3> activations_of(const Activations& given) {
  using enum MLRecurrentNetworkActivation;
  std::array all{sigmoid, tanh, tanh};
  if (given) std::copy(given->begin(), given->end(), all.begin());
  return all;
}

/// The common part of gru, gruCell, lstm and lstmCell. A cell is one step, without an axis of
/// steps.
template <class Op> Recurrent layer_of(const Op& op) {
  using Options = std::remove_cvref_t<decltype(op.options)>;
  constexpr bool cell = !requires { op.steps; };
  const Dims& shape = op.input.shape();
  Recurrent r{.type = op.input.dataType(),
              .batch = shape[cell ? 0 : 1],
              .inputs = shape[cell ? 1 : 2],
              .hidden = op.hiddenSize,
              .gates = gates_of(op.options.layout),
              .activations = activations_of(op.options.activations),
              .weight = slot<&Op::weight>(op),
              .recurrent_weight = slot<&Op::recurrentWeight>(op),
              .bias = slot<&Options::bias>(op),
              .recurrent_bias = slot<&Options::recurrentBias>(op)};
  if constexpr (cell) {
    r.hidden_state = slot<&Op::hiddenState>(op);
  } else {
    r.steps = op.steps;
    r.direction = op.options.direction;
    r.hidden_state = slot<&Options::initialHiddenState>(op);
    r.sequence = op.options.returnSequence;
  }
  return r;
}

template <class Op> Recurrent gru_of(const Op& op) {
  Recurrent r = layer_of(op);
  r.reset_after = op.options.resetAfter;
  return r;
}
template <class Op> Recurrent lstm_of(const Op& op) {
  using Options = std::remove_cvref_t<decltype(op.options)>;
  Recurrent r = layer_of(op);
  r.peephole = slot<&Options::peepholeWeight>(op);
  if constexpr (requires { op.steps; }) r.cell_state = slot<&Options::initialCellState>(op);
  else r.cell_state = slot<&Op::cellState>(op);
  return r;
}

}  // namespace

Recurrent recurrent_of(const ops::gru& op) { return gru_of(op); }
Recurrent recurrent_of(const ops::gruCell& op) { return gru_of(op); }
Recurrent recurrent_of(const ops::lstm& op) { return lstm_of(op); }
Recurrent recurrent_of(const ops::lstmCell& op) { return lstm_of(op); }

}  // namespace webnn::inline v0_1
