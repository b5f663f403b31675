#include "src/runtime/graph_state.h"

#include "src/runtime/control.h"

#include <unordered_map>

#include "src/graph/derived_constants.h"
#include "src/graph/failure.h"
#include "src/graph/heap.h"
#include "src/graph/text.h"
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

Use<GraphState> used(std::shared_ptr<GraphState> sized, std::string_view method) {
  Use<GraphState> use = sized ? Use<GraphState>(std::move(sized)) : Use<GraphState>();
  if (!use) raise({"the graph is destroyed", ErrorName::InvalidStateError}, method);
  return use;
}

Use<GraphState> usable_sized(const MLGraph& graph) {
  Use<GraphState> use = usable(graph);
  if (!use->open) return use;
  std::shared_ptr<GraphState> last = use->open->last();
  if (!last)
    raise({"the graph has open dimensions, and no sizes were made ready: prepare() does so",
           ErrorName::InvalidStateError},
          "MLGraph");
  return used(std::move(last), "MLGraph");
}

void GraphState::free_memory() {
  if (open) open->clear();
  const std::size_t freed = runs ? memory().total() : 0;
  runs.reset();
  executor.reset();
  weights.clear();
  plan = Plan();  // its kernels, before their backends
  shown_.reset();
  made_source_.reset();
  of.reset();
  length_graph.reset();
  optimized = source = detail::make<Graph>(std::shared_ptr<const GraphData>());
  backends.clear();
  pool.reset();
  trim_heap(freed);
}

Graph GraphState::built() const {
  if (!of) return source;
  std::call_once(make_source_, [&] { made_source_ = of->source_at(place); });
  return *made_source_;
}

const Expansion& GraphState::shown() const {
  std::call_once(show_, [&] { shown_ = expand(optimized); });
  return *shown_;
}

namespace {

/// The memory of all sizes together: what several of them hold counts once.
GraphMemory memory_of(const Specializations& open) {
  GraphMemory all;
  std::unordered_map<const PackedBlock*, int> holders;
  SeenConstants seen;
  const auto add = [&](const Constant& c) {
    if (!c.released() && c.is_copy() && seen.insert(c)) all.constants += c.bytes().size();
  };
  std::vector<Use<GraphState>> uses;  // until all is counted
  for (auto& graph : open.all())
    if (Use<GraphState> use{std::move(graph)}) {
      for (const auto& block : use->weights.blocks())
        if (!block->mapped && holders[block.get()]++ == 0) all.packed += block->size;
      for (const OwnedRecord& r : data_of(use->optimized).operands)
        if (r.constant) add(*r.constant);
      uses.push_back(std::move(use));
    }
  for (const auto& [block, count] : holders)
    if (block->graphs.load(std::memory_order_relaxed) > count) all.shared += block->size;
  for (const Constant& c : open.constants()) add(c);
  const RunMemory::Held held = open.memory();
  all.arena = held.bytes.arena;
  all.scratch = held.bytes.scratch;
  all.runs = held.blocks;
  return all;
}

}  // namespace

GraphMemory GraphState::memory() const {
  if (open) return memory_of(*open);
  const std::size_t count = runs->count();
  const GraphMemory inside = memory_of_subgraphs(plan);
  return {.packed = weights.bytes() + inside.packed,
          .shared = weights.shared() + inside.shared,
          .constants = constants + inside.constants,
          .arena = count * plan.packing.bytes,
          .scratch = count * Executor::scratch_bytes(plan, *pool),
          .runs = count};
}

std::size_t GraphState::form_bytes() const {
  constexpr std::size_t of_operator = 400, of_operand = 300, of_step = 2000;  // about
  std::size_t bytes = plan.steps.size() * of_step;
  for (const Graph* graph : {&source, &optimized})
    if (detail::state_of(*graph))
      bytes += graph->size() * of_operator + graph->operand_count() * of_operand;
  return bytes;
}

namespace {

/// The sizes that shapes of inputs say; none for a graph without open dimensions, whose shapes they
/// have to be.
DimensionSizes sizes_of(const GraphState& g, ListView<NamedShape> inputs, std::string_view method) {
  std::vector<GivenShape> given;
  for (const auto& [name, shape] : inputs) {
    const bool twice =
        std::ranges::any_of(given, [&n = name](const auto& x) { return x.name == n; });
    if (twice) raise(fail("input {} is given twice", in_quotes(name)), method);
    given.push_back({.name = name, .shape = shape, .ranked = true});
  }
  return webnn::sizes_of(g.open ? g.open->graph() : g.built(), given, method);
}

const GraphState& required(const MLGraph& graph) {
  if (!graph) raise({"the graph is empty", ErrorName::InvalidStateError}, "MLGraph");
  return *detail::state_of(graph);
}

}  // namespace

const NamedDescriptors& MLGraph::inputs() const { return required(*this).inputs; }
const NamedDescriptors& MLGraph::outputs() const { return required(*this).outputs; }
Graph MLGraph::graph() const { return usable(*this)->built(); }
Graph MLGraph::optimized() const { return usable_sized(*this)->shown().graph; }
bool MLGraph::is_open() const { return required(*this).open != nullptr; }

NamedDescriptors MLGraph::computeShapes(ListView<NamedShape> inputs) const {
  const Use<GraphState> use = usable(*this);
  const DimensionSizes sizes = sizes_of(*use, inputs, "computeShapes");
  if (!use->open) return use->outputs;
  NamedDescriptors shapes;
  const Graph sized = use->open->graph_at(sizes, "computeShapes");
  for (const auto& [name, x] : sized.outputs()) shapes.push_back({name, x.descriptor()});
  return shapes;
}

MLGraph MLGraph::prepare(ListView<NamedShape> inputs) const {
  const Use<GraphState> use = usable(*this);
  const DimensionSizes sizes = sizes_of(*use, inputs, "prepare");
  if (!use->open) return *this;
  const auto context = use->context.lock();
  if (!context) raise({"the context is gone", ErrorName::InvalidStateError}, "prepare");
  try {
    return detail::make<MLGraph>(use->open->at(*context, sizes, "prepare"));
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "prepare");
  }
}

void MLGraph::destroy() {
  if (state_) state_->destroy();
}

}  // namespace webnn::inline v0_1
