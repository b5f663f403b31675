// The common form of gru, gruCell, lstm and lstmCell: a cell is a network of one step.
#pragma once

#include <array>

#include "webnn/ops/sections.h"

namespace webnn::inline v0_1 {

/// All operands have one data type. Operands are given by their index among the inputs, -1 when
/// absent.
struct Recurrent {
  MLOperandDataType type{};
  std::size_t steps = 1, batch = 1, inputs = 1, hidden = 1;
  MLRecurrentNetworkDirection direction = MLRecurrentNetworkDirection::forward;
  /// The offsets of the weights of each gate, in hidden sizes: z, r, n (gru) or i, o, f, g (lstm).
  std::array<std::size_t, 4> gates{};
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

Recurrent recurrent_of(const ops::gru&);
Recurrent recurrent_of(const ops::gruCell&);
Recurrent recurrent_of(const ops::lstm&);
Recurrent recurrent_of(const ops::lstmCell&);

}  // namespace webnn::inline v0_1
