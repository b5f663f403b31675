#include "src/runtime/compile.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "src/builder/validate.h"
#include "src/graph/callback_scope.h"
#include "src/graph/derived_constants.h"
#include "src/graph/failure.h"
#include "src/graph/fused/expand.h"
#include "src/graph/text.h"
#include "src/kernels/common/small_weights.h"
#include "src/passes/quantized_operators.h"
#include "src/runtime/checked_passes.h"
#include "src/runtime/compositions.h"
#include "src/runtime/control.h"
#include "src/runtime/growing_kernels.h"
#include "src/runtime/memory.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {
namespace {

NamedDescriptors descriptors(const NamedOperands& operands) {
  NamedDescriptors all;
  for (const auto& [name, x] : operands) all.push_back({name, x.record().descriptor});
  return all;
}

/// Folds the weights of those quantized operators that no backend runs on integers, and the small
/// weights of others that no backend reads.
std::optional<Graph> fold_weights(const Graph& graph, std::span<const Choice> choices) {
  std::vector<Node> unfused, fused;
  const auto expands = [](const Node& n) {
    return dequantizes_constants(n) || expands_small_weights(n);
  };
  for (const Choice& c : choices)
    if (std::any_of(c.chain.begin(), c.chain.end(), expands)) {
      auto& nodes = c.chain.size() == 1 ? unfused : fused;
      nodes.insert(nodes.end(), c.chain.begin(), c.chain.end());
    }
  return fold_dequantized_weights(graph, unfused, fused);
}

/// What decides whether a graph may have memory for another run.
std::function<bool(std::size_t)> run_limit(const std::shared_ptr<ContextState>& context) {
  if (context->options.memoryLimit == 0) return [](std::size_t) { return true; };
  return [weak = std::weak_ptr<ContextState>(context)](std::size_t bytes) {
    const auto c = weak.lock();
    try {
      if (c) MemoryBudget(*c).add("another run", bytes);
    } catch (const OperationError& e) {
      say(c->options, LogLevel::info, "fewer runs can be computed at the same time: " + e.reason());
      return false;
    }
    return c != nullptr;
  };
}

/// Chains and candidates for a graph in which fused operators that no backend runs have become
/// their compositions.
std::vector<Choice> choose_expanded(GraphState& g, std::vector<std::string>* refused,
                                    const ChoiceObserver& chosen,
                                    const KnownChoices* known = nullptr) {
  if (has_fused(g.optimized) &&
      std::none_of(g.backends.begin(), g.backends.end(),
                   [](const auto& backend) { return knows_fused(*backend); })) {
    for (std::size_t i = 0; refused && i < g.optimized.size(); ++i)
      if (const Node node = g.optimized.node(i); as<fused::quantizedOperator>(node))
        refused->push_back(refused_quantized(node, g.backends));
    g.optimized = unique(expand(g.optimized).graph);
    g.has_expanded = true;
  }
  for (;;) {
    std::vector<std::size_t> to_expand;
    auto choices = choose(g.optimized, g.backends, refused, chosen, g.small_weights, &to_expand,
                          g.has_expanded ? nullptr : known);
    if (to_expand.empty()) return choices;
    choices.clear();
    g.optimized = unique(expand(g.optimized, to_expand).graph);
    g.has_expanded = true;
  }
}

/// The kernels of another graph of the same interpolation.
std::optional<KnownChoices> known_choices(const GraphState* like) {
  if (!like) return std::nullopt;
  KnownChoices known{std::vector<const Choice*>(like->optimized.size()), like->of->changed()};
  const auto add = [&](const Choice& c) {
    known.at[c.chain.front().output().record().producer] = &c;
  };
  for (const Step& step : like->plan.steps) add(step.choice);
  std::ranges::for_each(like->plan.in_place, add);
  return known;
}

/// The allocator is also called while a graph is compiled, which none of its calls may wait for.
void check_allocator(const ContextState& context, std::string_view method) {
  const void* const allocator = context.options.allocator.get();
  if (allocator && CallbackScope::name_of(allocator))
    raise({"the allocator of the context calls it", ErrorName::InvalidStateError}, method);
}

bool has(std::span<const Pass> passes, Graph (*run)(const Graph&)) {
  return std::any_of(passes.begin(), passes.end(), [&](const Pass& p) { return p.run == run; });
}

/// What a plan needs besides its weights, once the constants that no kernel reads are gone.
void finish_plan(GraphState& g, const std::vector<NamedUpdate>& updates, MemoryBudget& budget,
                 bool keep_constants, const RunMemory* memory = nullptr) {
  g.updates = state_updates(updates, g.optimized, g.plan);
  g.plan.packed = g.weights.bytes();
  if (memory) {
    budget.add("intermediate results and scratch",
               memory->missing(Executor::run_bytes(g.plan, *g.pool)));
  } else {
    budget.add("intermediate results", g.plan.packing.bytes);
    budget.add("scratch", Executor::scratch_bytes(g.plan, *g.pool));
  }
  g.constants =
      release_constants(g.source, g.optimized, g.plan, keep_constants, g.weights.new_bytes());
  budget.add("constants", g.constants);
  g.weights.hold();
}

/// Whether each state that grows is written where it is.
bool grows_in_place(const GraphState& g, const std::vector<NamedUpdate>& updates) {
  return std::ranges::all_of(updates, [&](const NamedUpdate& u) {
    return !u.axis || std::ranges::any_of(g.updates, [&](const StateUpdate& s) {
      return s.in_place && g.inputs[s.input].name == u.input;
    });
  });
}

/// Of a graph that comes from an open one: the constants that kernels read have their bytes.
void restore_read_constants(GraphState& g) {
  const GraphData& made = data_of(g.optimized);
  if (!made.derivation.constants) return;
  const std::vector<bool> read = constants_read(g.plan, g.optimized.operand_count());
  for (std::size_t i = 0; i < read.size(); ++i)
    if (const MLOperand x = read[i] ? g.optimized.operand(i) : MLOperand(); x) {
      restore_bytes(made, x);
      x.constant()->bytes();  // throws when they are released
    }
}

/// A block that was stored for a graph that comes from an open one.
std::shared_ptr<const PackedBlock> find_stored(const BlockKey& key, const GraphData& made,
                                               const StoredWeights* stored) {
  if (!stored || !made.derivation.constants) return nullptr;
  const auto wanted = stored_key(key, *made.derivation.constants);
  const auto found = wanted ? stored->find(*wanted) : stored->end();
  return found == stored->end() ? nullptr : found->second;
}

/// By input: whether no operator reads it.
std::vector<bool> unread_inputs(const Graph& graph) {
  std::vector<bool> read(graph.operand_count());
  for (const NodeData& node : data_of(graph).nodes)
    for (const MLOperand* x : operands_of(node.op.kind(), node.op.get()))
      read[x->record().id] = true;
  std::vector<bool> unread;
  for (const auto& [name, x] : graph.inputs()) unread.push_back(!read[x.record().id]);
  return unread;
}

/// With the inputs and outputs of a graph.
std::shared_ptr<GraphState> empty_state(const Graph& graph, const MLContext& context) {
  auto g = std::make_shared<GraphState>(graph);
  g->inputs = descriptors(graph.inputs());
  g->outputs = descriptors(graph.outputs());
  g->context = detail::state_of(context);
  g->pool = detail::state_of(context)->pool;
  g->threads_asked = detail::state_of(context)->threads_asked;
  g->backends = detail::state_of(context)->backends;
  return g;
}

std::shared_ptr<GraphState> new_state(const Graph& source, const MLContext& context) {
  auto g = empty_state(source, context);
  g->source = expand(source).graph;  // that of a compiled file may have fused operators
  g->optional = unread_inputs(source);
  return g;
}

/// One whose passes are known.
std::shared_ptr<GraphState> interpolated_state(const InterpolatedGraph& known,
                                               const GraphState* like, const MLContext& context) {
  auto g = empty_state(known.graph, context);
  g->source = detail::make<Graph>(std::shared_ptr<const GraphData>());
  g->optional = like ? like->optional : unread_inputs(known.of->some_source());
  g->passes = known.of->passes();
  g->of = known.of;
  g->place = known.place;
  return g;
}

using Clock = std::chrono::steady_clock;

/// Makes a graph known to its context.
std::shared_ptr<GraphState> known(std::shared_ptr<GraphState> g, ContextState& context,
                                  Clock::time_point start) {
  const std::chrono::duration<double, std::milli> took = Clock::now() - start;
  g->build_ms = took.count();
  if (!g->in_float32.empty())
    say(context.options, LogLevel::info,
        format("{} quantized operators of a graph run in float32: {}",
               {Arg(g->in_float32.size()), Arg(joined(g->in_float32))}));
  const std::lock_guard lock(context.registry);
  if (context.lost) raise({"the context is lost", ErrorName::InvalidStateError}, "build");
  remember(context.graphs, g);
  return g;
}

/// A subgraph, which has no runs of its own. Its steps are within one of the graph around it.
std::shared_ptr<GraphState> finished_subgraph(std::shared_ptr<GraphState> g,
                                              const ContextState& context) {
  g->executor = std::make_unique<Executor>(
      g->optimized, g->plan, *g->pool,
      ExecutorOptions{.memory = memory_of(context, MemoryPurpose::runs)});
  return g;
}

/// Makes what has a plan usable, and known to its context.
std::shared_ptr<GraphState> finished(std::shared_ptr<GraphState> g, const MLContext& context,
                                     Clock::time_point start,
                                     std::shared_ptr<RunMemory> memory = nullptr) {
  ContextState& c = *detail::state_of(context);
  const MemorySource source = memory_of(c, MemoryPurpose::runs);
  g->executor = std::make_unique<Executor>(
      g->optimized, g->plan, *g->pool, ExecutorOptions{.memory = source, .trace = c.options.trace});
  if (memory) memory->use(source);
  const int runs = c.options.runs ? c.options.runs : std::max(1, g->pool->threads());
  g->runs = std::make_unique<RunPool>(*g->executor, runs, run_limit(detail::state_of(context)),
                                      std::move(memory));
  g->input_index = NameIndex(g->inputs);
  g->output_index = NameIndex(g->outputs);
  for (const auto& input : g->inputs) g->input_bytes.push_back(byte_length(input.descriptor));
  for (const auto& output : g->outputs) g->output_bytes.push_back(byte_length(output.descriptor));
  return known(std::move(g), c, start);
}

/// A graph with open dimensions, of which one combination of sizes is made ready: its weights are
/// packed, and later ones find them.
std::shared_ptr<GraphState> compile_open(const Graph& source, const MLContext& context,
                                         std::span<const Pass> passes, const BuildOptions& options,
                                         const std::vector<NamedUpdate>& updates,
                                         std::shared_ptr<const StoredWeights> stored) {
  const auto start = Clock::now();
  ContextState& c = *detail::state_of(context);
  auto g = new_state(source, context);
  g->pass_names = pass_names_of(passes);
  g->kept = KeptStates::of(context, updates, source.inputs());
  g->open = std::make_unique<Specializations>(OpenGraph{source,
                                                        {passes.begin(), passes.end()},
                                                        updates,
                                                        options.specializationBytes,
                                                        std::move(stored),
                                                        g->kept});
  g->open->at(c, data_of(source).typical, "build", &options);
  return known(std::move(g), c, start);
}

}  // namespace

std::string pass_names_of(std::span<const Pass> passes) { return joined(passes, ",", &Pass::name); }

std::shared_ptr<GraphState> compile(Graph source, const MLContext& context,
                                    std::span<const Pass> passes, const BuildOptions& options,
                                    const std::vector<NamedUpdate>& updates, OfOpenGraph open) {
  if (!open.interpolated && !data_of(source).dimensions.empty())
    return compile_open(source, context, passes, options, updates, open.stored);
  const auto start = Clock::now();
  ContextState& c = *detail::state_of(context);
  check_allocator(c, "build");
  const ProgressReporter progress(options, c);
  auto g = open.interpolated ? interpolated_state(*open.interpolated, open.like, context)
                             : new_state(source, context);
  g->pass_names = pass_names_of(passes);
  open.interpolated.reset();
  if (!g->of) g->optimized = optimize_checked(std::move(source), passes, g->passes, progress);
  const GraphData* const made_by_passes = &data_of(g->optimized);
  g->optimized = unique(std::move(g->optimized));
  g->has_expanded = &data_of(g->optimized) != made_by_passes;
  {
    std::unique_lock lock(c.lowering);
    const auto count = [&](const Choice&, std::size_t done) {
      progress.report("kernels", done, g->optimized.size());
    };
    g->small_weights = has(passes, &separate_small_weights);
    const auto of_other = known_choices(open.like);
    std::vector<Choice> choices =
        choose_expanded(*g, &g->in_float32, count, of_other ? &*of_other : nullptr);
    if (auto folded =
            has(passes, &fold_constants) ? fold_weights(g->optimized, choices) : std::nullopt) {
      choices.clear();
      g->optimized = unique(optimize_checked(expand(*folded).graph, passes, g->passes, progress));
      g->has_expanded = true;
      choices = choose_expanded(*g, nullptr, count);
    }
    tune(choices, g->optimized, c, g->weights, options.stop,
         [&](std::size_t done) { progress.report("tuning", done, choices.size()); });
    std::optional<GrowingKernels> states;
    if (open.growing) {
      states.emplace(g->optimized, updates, *open.growing, g->backends);
      if (!states->replace(choices)) return nullptr;
      g->growing = *open.growing;
    }
    for (const Choice& c : choices)
      if (!c.blocks.empty()) g->weights.add(c);
    g->weights.find_in(open.weights);
    MemoryBudget budget(c);
    const GraphData& made = data_of(g->optimized);
    g->weights.pack(
        choices, *g->pool,
        {.memory = memory_of(c, MemoryPurpose::weights),
         .restore =
             [&](const WeightBlock& block, const std::vector<MLOperand>& inputs) {
               for (const int i : block.inputs)
                 restore_bytes(made, inputs[static_cast<std::size_t>(i)]);
             },
         .stored = [&](const BlockKey& key) { return find_stored(key, made, open.stored.get()); },
         .packed = [&](const Choice& choice) { budget.add(choice); },
         .progress = [&](std::size_t done,
                         std::size_t total) { progress.report("weights", done, total); }});
    g->weights.find_in(nullptr);
    g->plan = make_plan(g->optimized, std::move(choices));
    if (states) states->finish(g->plan);
    restore_read_constants(*g);
    lock.unlock();
    budget.add("subgraphs", compile_subgraphs(*g, context, passes, options));
    lock.lock();
    finish_plan(*g, updates, budget, c.options.keepConstants, open.memory.get());
    if (open.growing && !grows_in_place(*g, updates)) return nullptr;
  }
  if (!g->of) forget_derivation(g->source);
  forget_derivation(g->optimized);
  if (open.is_subgraph) return finished_subgraph(std::move(g), c);
  g->kept = open.memory ? open.kept : KeptStates::of(context, updates, g->source.inputs());
  return finished(std::move(g), context, start, open.memory);
}

std::shared_ptr<GraphState> restore(Compiled compiled, const MLContext& context) {
  const auto start = Clock::now();
  ContextState& c = *detail::state_of(context);
  if (c.lost) raise({"the context is lost", ErrorName::InvalidStateError}, "load");
  check_allocator(c, "load");
  auto g = new_state(compiled.graph, context);
  const std::vector<Pass> passes = chosen_passes();
  g->pass_names = pass_names_of(passes);
  g->small_weights = has(passes, &separate_small_weights);
  g->passes = std::move(compiled.passes);
  g->in_float32 = std::move(compiled.in_float32);
  g->optional = std::move(compiled.optional);
  {
    std::unique_lock lock(c.lowering);
    MemoryBudget budget(c);
    auto choices = choose_again(g->optimized, g->backends, compiled.choices, g->small_weights);
    if (!choices)
      raise({"its kernels do not fit: " + choices.failure().message, ErrorName::DataError}, "load");
    for (const auto& [key, block] : compiled.blocks) g->weights.add(key, block);
    for (const Choice& choice : *choices)
      if (const WeightBlock* block = g->weights.missing(choice))
        raise({format("its kernels do not fit: {} ({}: it has no weights in the layout {})",
                      {Arg(name_and_label(choice.chain.front())), Arg(choice.backend),
                       Arg(in_quotes(block->layout))}),
               ErrorName::DataError},
              "load");
    g->weights.pack(*choices, *g->pool,
                    {.memory = memory_of(c, MemoryPurpose::weights),
                     .packed = [&](const Choice& choice) { budget.add(choice); }});
    g->plan = make_plan(g->optimized, std::move(*choices));
    const std::vector<bool> read = constants_read(g->plan, g->optimized.operand_count());
    for (std::size_t i = 0; i < read.size(); ++i)
      if (read[i] && g->optimized.operand(i).constant()->released())
        raise({"a constant that a kernel reads is not there", ErrorName::DataError}, "load");
    lock.unlock();
    budget.add("subgraphs", compile_subgraphs(*g, context, passes, {}));
    lock.lock();
    finish_plan(*g, compiled.updates, budget, true);
  }
  g->kept = KeptStates::of(context, compiled.updates, g->source.inputs());
  return finished(std::move(g), context, start);
}

MLGraph build_graph(const MLContext& context, const Graph& graph) {
  return build_graph(context, graph, chosen_passes());
}

MLGraph build_graph(const MLContext& context, const Graph& graph, std::span<const Pass> passes) {
  if (context.lost()) raise({"the context is lost", ErrorName::InvalidStateError}, "build");
  try {
    return detail::make<MLGraph>(compile(graph, context, passes));
  } catch (const std::bad_alloc&) { raise({"out of memory", ErrorName::OperationError}, "build"); }
}

}  // namespace webnn::inline v0_1
