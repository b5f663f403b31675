#include "src/kernels/common/recurrent.h"

#include <algorithm>

#include "src/kernels/common/slot.h"

namespace webnn {
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

}  // namespace

Recurrent recurrent_of(const ops::gru& op) {
  const MLGruOptions& o = op.options;
  return {.type = op.input.dataType(),
          .steps = op.steps,
          .batch = op.input.shape()[1],
          .inputs = op.input.shape()[2],
          .hidden = op.hiddenSize,
          .direction = o.direction,
          .gates = gates_of(o.layout),
          .activations = activations_of(o.activations),
          .weight = slot<&ops::gru::weight>(op),
          .recurrent_weight = slot<&ops::gru::recurrentWeight>(op),
          .bias = slot<&MLGruOptions::bias>(op),
          .recurrent_bias = slot<&MLGruOptions::recurrentBias>(op),
          .hidden_state = slot<&MLGruOptions::initialHiddenState>(op),
          .reset_after = o.resetAfter,
          .sequence = o.returnSequence};
}

Recurrent recurrent_of(const ops::gruCell& op) {
  const MLGruCellOptions& o = op.options;
  return {.type = op.input.dataType(),
          .batch = op.input.shape()[0],
          .inputs = op.input.shape()[1],
          .hidden = op.hiddenSize,
          .gates = gates_of(o.layout),
          .activations = activations_of(o.activations),
          .weight = slot<&ops::gruCell::weight>(op),
          .recurrent_weight = slot<&ops::gruCell::recurrentWeight>(op),
          .bias = slot<&MLGruCellOptions::bias>(op),
          .recurrent_bias = slot<&MLGruCellOptions::recurrentBias>(op),
          .hidden_state = slot<&ops::gruCell::hiddenState>(op),
          .reset_after = o.resetAfter};
}

Recurrent recurrent_of(const ops::lstm& op) {
  const MLLstmOptions& o = op.options;
  return {.type = op.input.dataType(),
          .steps = op.steps,
          .batch = op.input.shape()[1],
          .inputs = op.input.shape()[2],
          .hidden = op.hiddenSize,
          .direction = o.direction,
          .gates = gates_of(o.layout),
          .activations = activations_of(o.activations),
          .weight = slot<&ops::lstm::weight>(op),
          .recurrent_weight = slot<&ops::lstm::recurrentWeight>(op),
          .bias = slot<&MLLstmOptions::bias>(op),
          .recurrent_bias = slot<&MLLstmOptions::recurrentBias>(op),
          .peephole = slot<&MLLstmOptions::peepholeWeight>(op),
          .hidden_state = slot<&MLLstmOptions::initialHiddenState>(op),
          .cell_state = slot<&MLLstmOptions::initialCellState>(op),
          .sequence = o.returnSequence};
}

Recurrent recurrent_of(const ops::lstmCell& op) {
  const MLLstmCellOptions& o = op.options;
  return {.type = op.input.dataType(),
          .batch = op.input.shape()[0],
          .inputs = op.input.shape()[1],
          .hidden = op.hiddenSize,
          .gates = gates_of(o.layout),
          .activations = activations_of(o.activations),
          .weight = slot<&ops::lstmCell::weight>(op),
          .recurrent_weight = slot<&ops::lstmCell::recurrentWeight>(op),
          .bias = slot<&MLLstmCellOptions::bias>(op),
          .recurrent_bias = slot<&MLLstmCellOptions::recurrentBias>(op),
          .peephole = slot<&MLLstmCellOptions::peepholeWeight>(op),
          .hidden_state = slot<&ops::lstmCell::hiddenState>(op),
          .cell_state = slot<&ops::lstmCell::cellState>(op)};
}

}  // namespace webnn
