// The loops of gru, gruCell, lstm and lstmCell: a cell is a network of one step.
#pragma once

#include "src/kernels/reference/kernels.h"

namespace webnn::reference {

/// All operands have one data type. Where one is: its index among the inputs, -1 when absent.
struct Recurrent {
  MLOperandDataType type{};
  std::size_t steps = 1, batch = 1, inputs = 1, hidden = 1;
  MLRecurrentNetworkDirection direction = MLRecurrentNetworkDirection::forward;
  std::array<std::size_t, 4> gates{};  ///< where the weights of each gate begin, in hidden sizes
  std::array<MLRecurrentNetworkActivation, 3> activations{};
  int weight = -1, recurrent_weight = -1, bias = -1, recurrent_bias = -1, peephole = -1;
  int hidden_state = -1, cell_state = -1;
  bool reset_after = true;
  bool sequence = false;  ///< the last result has the hidden state after each step

  std::size_t directions() const { return direction == MLRecurrentNetworkDirection::both ? 2 : 1; }
  bool backward(std::size_t d) const {
    return d == 1 || direction == MLRecurrentNetworkDirection::backward;
  }
};

/// The gates are z, r, n. One result: the hidden state.
Kernel gru_kernel(const Recurrent&);
/// The gates are i, o, f, g. Two results: the hidden and the cell state.
Kernel lstm_kernel(const Recurrent&);

/// z, r, n in a layout, for Recurrent::gates.
std::array<std::size_t, 4> gates_of(MLGruWeightLayout);
/// i, o, f, g in a layout.
std::array<std::size_t, 4> gates_of(MLLstmWeightLayout);
/// Those given, or sigmoid for the first and tanh for the others.
std::array<MLRecurrentNetworkActivation, 3> activations_of(const Activations&);

}  // namespace webnn::reference
