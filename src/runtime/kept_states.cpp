#include "src/runtime/kept_states.h"

#include <algorithm>
#include <cstring>

#include "src/graph/access.h"
#include "src/graph/failure.h"
#include "src/runtime/graph_state.h"
#include "webnn/graph.h"
#include "webnn/state.h"

namespace webnn::inline v0_1 {

std::shared_ptr<const KeptStates> KeptStates::of(MLContext context,
                                                 const std::vector<NamedUpdate>& updates,
                                                 const NamedOperands& inputs) {
  auto kept = std::make_shared<KeptStates>();
  for (const NamedUpdate& u : updates) {
    if (!u.initial) continue;
    const auto input = std::ranges::find(inputs, u.input, &NamedOperand::name);
    if (input == inputs.end()) continue;
    const MLOperandDescriptor& d = input->operand.record().descriptor;
    kept->states_.push_back(
        {{u.input, u.output, *u.initial}, context.createTensor({d.dataType, d.shape, true, true})});
  }
  if (kept->states_.empty()) return nullptr;
  kept->reset(std::move(context));
  return kept;
}

void KeptStates::reset(MLContext context) const {
  for (const State& s : states_) context.writeTensor(s.tensor, InputView(s.state.initial.bytes()));
}

void KeptStates::complete(ListView<NamedTensor>& inputs, ListView<NamedTensor>& outputs,
                          std::vector<NamedTensor>& all_inputs,
                          std::vector<NamedTensor>& all_outputs) const {
  const std::vector<const State*> own = unnamed(inputs, outputs);
  if (own.empty()) return;
  for (std::size_t i = 0; i < inputs.size(); ++i) all_inputs.push_back(inputs[i]);
  for (std::size_t i = 0; i < outputs.size(); ++i) all_outputs.push_back(outputs[i]);
  for (const State* s : own) {
    all_inputs.push_back({s->state.input, s->tensor});
    all_outputs.push_back({s->state.output, s->tensor});
  }
  inputs = all_inputs;
  outputs = all_outputs;
}

KeptRun::KeptRun(const std::vector<KeptUse>& uses, std::span<const std::byte*> in,
                 std::span<std::byte*> out)
    : uses_(uses) {
  for (const KeptUse& u : uses)
    if (u.tensor->failure) std::rethrow_exception(u.tensor->failure);
  for (const KeptUse& u : uses) {
    out[u.output] =
        u.in_place
            ? u.tensor->change()
            : beside_.emplace_back(aligned_bytes(u.tensor->memory->size, u.tensor->memory->source))
                  .get();
    in[u.input] = u.tensor->values();
  }
}

void KeptRun::finish() {
  std::size_t next = 0;
  for (const KeptUse& u : uses_)
    if (!u.in_place)
      std::memcpy(u.tensor->overwrite(), beside_[next++].get(), u.tensor->memory->size);
}

void KeptRun::fail(const std::exception_ptr& failure) {
  for (const KeptUse& u : uses_)
    if (u.in_place) u.tensor->failure = failure;
}

std::vector<KeptState> keptStates(const MLGraph& graph) {
  const Use<GraphState> g = usable(graph);
  std::vector<KeptState> states;
  if (g->kept)
    for (const KeptStates::State& s : g->kept->states()) states.push_back(s.state);
  return states;
}

void resetStates(const MLGraph& graph) {
  const Use<GraphState> g = usable(graph);
  if (!g->kept) return;
  const std::shared_ptr<ContextState> context = g->context.lock();
  if (!context) raise({"the context is gone", ErrorName::InvalidStateError}, "resetStates");
  g->kept->reset(detail::make<MLContext>(context));
}

}  // namespace webnn::inline v0_1
