#include "src/runtime/memory.h"

#include <algorithm>
#include <cstdio>
#include <unordered_set>

#include "src/builder/builder_state.h"
#include "src/graph/derived_constants.h"
#include "src/graph/failure.h"
#include "src/graph/graph_data.h"
#include "src/graph/heap.h"
#include "src/graph/text.h"
#include "src/kernels/common/small_weights.h"
#include "src/runtime/context_state.h"
#include "src/runtime/graph_state.h"
#include "src/runtime/packed_weights.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t min_released = 64 << 10;  // bytes: small ones cost little

std::string megabytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

std::string name_of(const Choice& c) {
  const Chain rest = Chain(c.chain).subspan(expanding_operators(c.chain));
  const auto named =
      std::ranges::find_if(rest, [](const Node& n) { return !n.as<ops::dequantizeLinear>(); });
  return name_and_label(named == rest.end() ? c.chain.front() : *named);
}

bool is_unique(const Graph& graph) { return detail::state_of(graph).use_count() == 1; }

/// f(constant) for the constants of a graph that nothing else refers to.
template <class F> void for_constants(Graph& graph, F f) {
  for (OwnedRecord& r : const_cast<GraphData&>(data_of(graph)).operands)
    if (r.constant) f(r, *r.constant);
}

/// What graphs hold together: weights, constants and memory of runs that several of them have
/// count once. An open graph has all that its sizes have, which are graphs of the context, too.
std::size_t bytes_of(std::span<const std::shared_ptr<GraphState>> graphs) {
  std::vector<Use<GraphState>> uses;  // until all is counted
  std::unordered_set<const void*> seen;
  SeenConstants constants;
  std::size_t bytes = 0;
  const auto add_constant = [&](const Constant& c) {
    if (!c.released() && c.is_copy() && constants.insert(c)) bytes += c.bytes().size();
  };
  for (const auto& graph : graphs) {
    Use<GraphState> g(graph);
    if (!g) continue;
    if (g->open) {
      for (const Constant& c : g->open->constants()) add_constant(c);
      continue;
    }
    for (const auto& block : g->weights.blocks())
      if (!block->mapped && seen.insert(block.get()).second) bytes += block->size;
    for (const OwnedRecord& r : data_of(g->optimized).operands)
      if (r.constant) add_constant(*r.constant);
    if (const RunMemory* shared = g->runs->memory(); !shared)
      bytes += g->memory().arena + g->memory().scratch;
    else if (seen.insert(shared).second) bytes += shared->held().bytes.total();
    uses.push_back(std::move(g));
  }
  return bytes;
}

bool releasable(const Constant& c) { return c.is_copy() && !c.released() && is_large(c); }

}  // namespace

bool is_large(const Constant& c) { return c.released() || c.bytes().size() >= min_released; }

std::vector<bool> constants_read(const Plan& plan, std::size_t operands) {
  std::vector<bool> read(operands);
  const auto mark = [&](const Location& x) {
    if (x.kind == Location::Kind::constant) read[x.index] = true;
  };
  for (const Step& step : plan.steps) {
    const std::vector<bool> of_step = inputs_read(*step.choice.kernel, step.inputs.size());
    for (std::size_t i = 0; i < step.inputs.size(); ++i)
      if (of_step[i]) mark(step.inputs[i]);
  }
  for (const CopyOut& c : plan.copies) mark(c.from);
  return read;
}

MemoryBudget::MemoryBudget(ContextState& context) : limit_(context.options.memoryLimit) {
  if (limit_ == 0) return;
  std::vector<std::shared_ptr<GraphState>> graphs;  // released after the lock
  {
    const std::lock_guard lock(context.registry);
    for (const auto& w : context.graphs)
      if (auto g = w.lock()) graphs.push_back(std::move(g));
  }
  add("the other graphs of the context", bytes_of(graphs));
}

void MemoryBudget::add(const Choice& choice) {
  if (limit_ == 0) return;
  std::size_t bytes = 0;
  for (const auto& block : choice.blocks) {
    if (block->mapped || block->graphs.load(std::memory_order_relaxed) > 0 ||
        std::find(blocks_.begin(), blocks_.end(), block.get()) != blocks_.end())
      continue;
    bytes += block->size;
    blocks_.push_back(block.get());
  }
  if (bytes) add("weights of " + name_of(choice), bytes);
}

void MemoryBudget::add(std::string what, std::size_t bytes) {
  if (limit_ == 0) return;
  parts_.push_back({std::move(what), bytes});
  used_ += bytes;
  if (used_ > limit_) refuse();
}

void MemoryBudget::refuse() {
  constexpr std::size_t listed = 3;
  std::stable_sort(parts_.begin(), parts_.end(),
                   [](const Part& a, const Part& b) { return a.bytes > b.bytes; });
  std::vector<std::string> largest;
  for (std::size_t i = 0; i < std::min(listed, parts_.size()); ++i)
    if (parts_[i].bytes) largest.push_back(parts_[i].what + ' ' + megabytes(parts_[i].bytes));
  raise({format("the memory of the graph, at least {}, would exceed memoryLimit ({}); its largest "
                "parts: {}",
                {Arg(megabytes(used_)), Arg(megabytes(limit_)), Arg(joined(largest))}),
         ErrorName::OperationError},
        "build");
}

Graph unique(Graph graph) {
  if (is_unique(graph)) return graph;
  return graph_of(copy(data_of(graph), graph.outputs()));
}

void release_constants(BuilderState& builder) {
  const std::lock_guard lock(builder.mutex);
  if (!builder.built || detail::state_of(builder.context)->options.keepConstants) return;
  for (OwnedRecord& r : builder.data.operands)
    if (r.constant && releasable(*r.constant)) detail::Access::release(*r.constant);
}

std::size_t release_constants(Graph& source, Graph& optimized, const Plan& plan, bool keep,
                              std::size_t freed) {
  const std::vector<bool> read = constants_read(plan, optimized.operand_count());
  std::unordered_set<const std::byte*> stay;
  std::size_t bytes = 0, released = 0;
  const auto release = [&](Constant& c) {
    if (detail::Access::is_last(c)) released += c.bytes().size();
    detail::Access::release(c);
  };
  for_constants(optimized, [&](const OperandRecord& r, Constant& c) {
    if (!keep && releasable(c) && !read[r.id]) return release(c);
    if (!c.released() && stay.insert(c.bytes().data()).second && c.is_copy())
      bytes += c.bytes().size();
  });
  if (!detail::state_of(source)) {
    trim_heap(released + freed);
    return bytes;
  }
  const auto& operands = data_of(source).operands;
  const auto leaves = [&](const Constant& c) {
    return !keep && releasable(c) && !stay.contains(c.bytes().data());
  };
  if (std::any_of(operands.begin(), operands.end(),
                  [&](const OwnedRecord& r) { return r.constant && leaves(*r.constant); })) {
    source = unique(std::move(source));
    for_constants(source, [&](const OperandRecord&, Constant& c) {
      if (leaves(c)) release(c);
    });
  }
  trim_heap(released + freed);
  return bytes;
}

void forget_derivation(Graph& graph) {
  auto& derivation = const_cast<GraphData&>(data_of(graph)).derivation;
  if (derivation.constants) derivation = {};
}

}  // namespace webnn::inline v0_1
