#include "src/kernels/reference/recurrent.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::gruCell& op, const Node&) {
  const MLGruCellOptions& o = op.options;
  return gru_kernel({.type = op.input.dataType(),
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
                     .reset_after = o.resetAfter});
}

}  // namespace

Table<ops::GruCellSection> kernels(ops::GruCellSection) {
  return table<ops::GruCellSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
