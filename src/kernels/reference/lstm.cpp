#include "src/kernels/reference/recurrent.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::lstm& op, const Node&) {
  const MLLstmOptions& o = op.options;
  return lstm_kernel({.type = op.input.dataType(),
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
                      .sequence = o.returnSequence});
}

}  // namespace

Table<ops::LstmSection> kernels(ops::LstmSection) {
  return table<ops::LstmSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
