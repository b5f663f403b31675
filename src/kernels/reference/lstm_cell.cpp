#include "src/kernels/reference/recurrent.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::lstmCell& op, const Node&) {
  const MLLstmCellOptions& o = op.options;
  return lstm_kernel({.type = op.input.dataType(),
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
                      .cell_state = slot<&ops::lstmCell::cellState>(op)});
}

}  // namespace

Table<ops::LstmCellSection> kernels(ops::LstmCellSection) {
  return table<ops::LstmCellSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
