#include "src/runtime/graph_state.h"

#include "src/graph/failure.h"
#include "src/graph/heap.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {

namespace {

template <class Use>
Use usable_as(const MLGraph& graph, const ContextState& context, std::string_view method) {
  if (!graph) raise(fail("the graph is empty"), method);
  if (!same(detail::state_of(graph)->context, context))
    raise(fail("the graph belongs to another context"), method);
  Use g(detail::state_of(graph));
  if (!g) raise({"the graph is destroyed", ErrorName::InvalidStateError}, method);
  return g;
}

}  // namespace

Use<GraphState> usable(const MLGraph& graph, const ContextState& context, std::string_view method) {
  return usable_as<Use<GraphState>>(graph, context, method);
}
BorrowedUse<GraphState> usable_here(const MLGraph& graph, const ContextState& context,
                                    std::string_view method) {
  return usable_as<BorrowedUse<GraphState>>(graph, context, method);
}

Use<GraphState> usable(const MLGraph& graph) {
  if (!graph) raise({"the graph is empty", ErrorName::InvalidStateError}, "MLGraph");
  Use<GraphState> use(detail::state_of(graph));
  if (!use) raise({"the graph is destroyed", ErrorName::InvalidStateError}, "MLGraph");
  return use;
}

void GraphState::free_memory() {
  const std::size_t freed = runs ? memory().total() : 0;
  runs.reset();
  executor.reset();
  weights.clear();
  plan = Plan();  // its kernels, before their backends
  shown_.reset();
  optimized = source = detail::make<Graph>(std::shared_ptr<const GraphData>());
  backends.clear();
  pool.reset();
  trim_heap(freed);
}

const Expansion& GraphState::shown() const {
  std::call_once(show_, [&] { shown_ = expand(optimized); });
  return *shown_;
}

GraphMemory GraphState::memory() const {
  const std::size_t count = runs->count();
  return {.packed = weights.bytes(),
          .shared = weights.shared(),
          .constants = constants,
          .arena = count * plan.packing.bytes,
          .scratch = count * Executor::scratch_bytes(plan, *pool),
          .runs = count};
}

namespace {

const GraphState& required(const MLGraph& graph) {
  if (!graph) raise({"the graph is empty", ErrorName::InvalidStateError}, "MLGraph");
  return *detail::state_of(graph);
}

}  // namespace

const NamedDescriptors& MLGraph::inputs() const { return required(*this).inputs; }
const NamedDescriptors& MLGraph::outputs() const { return required(*this).outputs; }
Graph MLGraph::graph() const { return usable(*this)->source; }
Graph MLGraph::optimized() const { return usable(*this)->shown().graph; }
void MLGraph::destroy() {
  if (state_) state_->destroy();
}

}  // namespace webnn::inline v0_1
