#include "src/kernels/reference/recurrent.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::gru& op, const Node&) {
  const MLGruOptions& o = op.options;
  return gru_kernel({.type = op.input.dataType(),
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
                     .sequence = o.returnSequence});
}

}  // namespace

Table<ops::GruSection> kernels(ops::GruSection) {
  return table<ops::GruSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
