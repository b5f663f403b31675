#include "src/runtime/graph_state.h"

#include "webnn/error.h"

namespace webnn {

GraphState& usable(const MLGraph& graph, const ContextState& context, std::string_view method) {
  if (!graph) raise(fail("the graph is empty"), method);
  GraphState& g = *graph.state();
  if (g.context.lock().get() != &context)
    raise(fail("the graph belongs to another context"), method);
  if (g.destroyed) raise({"the graph is destroyed", ErrorName::InvalidStateError}, method);
  return g;
}

namespace {

const GraphState& state_of(const MLGraph& graph) {
  if (!graph) raise({"the graph is empty", ErrorName::InvalidStateError}, "MLGraph");
  return *graph.state();
}

}  // namespace

const NamedDescriptors& MLGraph::inputs() const { return state_of(*this).inputs; }
const NamedDescriptors& MLGraph::outputs() const { return state_of(*this).outputs; }
const Graph& MLGraph::graph() const { return state_of(*this).source; }
const Graph& MLGraph::optimized() const { return state_of(*this).optimized; }
void MLGraph::destroy() {
  if (state_) state_->destroyed = true;
}

}  // namespace webnn
