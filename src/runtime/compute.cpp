// Runs of a graph on memory of the caller: compute, compute_async, profile.
#include <algorithm>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/runtime/context_state.h"
#include "src/runtime/graph_state.h"
#include "src/runtime/named_values.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1 {
namespace {

template <class V>
void check_view(const V& v, const MLOperandDescriptor& d, std::size_t bytes, std::string_view name,
                const char* what, std::string_view method) {
  if (!v.views(d.dataType))
    raise(fail("the elements of {} \"{}\" are not of its data type ({})", what, escaped(name),
               d.dataType),
          method);
  if (v.size() != bytes)
    raise(fail("the byte length ({}) of {} \"{}\" is not that of {} {} ({})", v.size(), what,
               escaped(name), d.dataType, d.shape, bytes),
          method);
  const auto unit = static_cast<std::size_t>(std::max(8, bits_of(d.dataType))) / 8;
  if (reinterpret_cast<std::uintptr_t>(v.data()) % unit != 0)
    raise(fail("the memory of {} \"{}\" is not aligned to its elements ({} bytes)", what,
               escaped(name), unit),
          method);
}

/// `ranges` has room for all inputs and outputs.
void check_overlap(const GraphState& g, std::span<const std::byte* const> in,
                   std::span<std::byte* const> out, std::vector<MemoryRange>& ranges,
                   std::string_view method) {
  ranges.clear();
  for (std::size_t i = 0; i < in.size(); ++i)
    if (in[i]) ranges.push_back({in[i], g.input_bytes[i], i, false});
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i]) ranges.push_back({out[i], g.output_bytes[i], i, true});
  const auto pair = find_overlap(ranges);
  if (!pair) return;
  auto [output, other] = *pair;
  if (other.is_output && other.index > output.index)
    std::swap(output, other);  // the later one first
  const auto& names = other.is_output ? g.outputs : g.inputs;
  raise(fail("the memory of output \"{}\" overlaps that of {} \"{}\"",
             escaped(g.outputs[output.index].name), other.is_output ? "output" : "input",
             escaped(names[other.index].name)),
        method);
}

bool has_input(const std::vector<KeptUse>& kept, std::size_t k) {
  return std::ranges::find(kept, k, &KeptUse::input) != kept.end();
}

/// Puts the caller's memory in the graph's order.
void arrange(const GraphState& g, ListView<NamedInput> inputs, ListView<NamedOutput> outputs,
             std::span<const std::byte*> in, std::span<std::byte*> out,
             std::vector<MemoryRange>& ranges, std::string_view method,
             const std::vector<KeptUse>& kept = {}) {
  std::fill(in.begin(), in.end(), nullptr);
  std::fill(out.begin(), out.end(), nullptr);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& [name, data] = inputs[i];
    if (data.size() == 0 && std::ranges::find(g.empty_inputs, name) != g.empty_inputs.end())
      continue;
    const std::size_t k = find(g.inputs, g.input_index, name, i, "input", method);
    if (in[k]) raise(fail("input \"{}\" is given twice", escaped(name)), method);
    check_view(data, g.inputs[k].descriptor, g.input_bytes[k], name, "input", method);
    in[k] = data.data();
  }
  for (std::size_t k = 0; k < in.size(); ++k)
    if (!in[k] && !g.optional[k] && !has_input(kept, k))
      raise(fail("input \"{}\" is missing", escaped(g.inputs[k].name)), method);
  if (outputs.empty()) raise(fail("no output is asked for"), method);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [name, data] = outputs[i];
    const std::size_t k = find(g.outputs, g.output_index, name, i, "output", method);
    if (out[k]) raise(fail("output \"{}\" is given twice", escaped(name)), method);
    check_view(data, g.outputs[k].descriptor, g.output_bytes[k], name, "output", method);
    out[k] = data.data();
  }
  check_overlap(g, in, out, ranges, method);
}

/// The sizes of an open graph that inputs say.
DimensionSizes sizes_of(const GraphState& g, ListView<NamedInput> inputs, std::string_view method) {
  std::vector<GivenShape> given;
  for (const auto& [name, data] : inputs)
    given.push_back({name, data.shape(), !data.shape().empty(), data.size()});
  return sizes_of(g.open->graph(), given, method);
}

/// The states that a graph keeps and of which the caller names neither input nor output, in the
/// order of a graph of known sizes.
std::vector<KeptUse> kept_by(const GraphState& graph, const GraphState& sized,
                             ListView<NamedInput> inputs, ListView<NamedOutput> outputs,
                             std::string_view method) {
  std::vector<KeptUse> uses;
  if (!graph.kept) return uses;
  for (const KeptStates::State* s : graph.kept->unnamed(inputs, outputs)) {
    const KeptState& state = s->state;
    KeptUse use{Use<TensorState>(detail::state_of(s->tensor)),
                find(sized.inputs, sized.input_index, state.input, 0, "input", method),
                find(sized.outputs, sized.output_index, state.output, 0, "output", method)};
    for (const StateUpdate& u : sized.updates)
      if (u.input == use.input && u.output == use.output) use.in_place = u.in_place;
    uses.push_back(std::move(use));
  }
  return uses;
}

/// Starts a run on the timeline, on memory of the caller.
void start(const std::shared_ptr<ContextState>& context, Use<GraphState> graph,
           ListView<NamedInput> inputs, ListView<NamedOutput> outputs,
           std::function<void(std::exception_ptr)> done, std::stop_token stop, const char* method) {
  struct Run {
    Use<GraphState> graph;
    std::vector<KeptUse> kept;
    std::vector<const std::byte*> in;
    std::vector<std::byte*> out;
  };
  const auto run = std::make_shared<Run>();
  Use<GraphState> known;  // of an open graph
  if (graph->open)
    known = used(graph->open->at(*context, sizes_of(*graph, inputs, method), method), method);
  const GraphState& g = known ? *known : *graph;
  run->kept = kept_by(*graph, g, inputs, outputs, method);
  run->graph = known ? std::move(known) : std::move(graph);
  run->in.resize(g.inputs.size());
  run->out.resize(g.outputs.size());
  std::vector<MemoryRange> ranges;
  arrange(g, inputs, outputs, run->in, run->out, ranges, method, run->kept);
  auto job = context->timeline.take();
  job->kind = Job::Kind::call;
  job->call = [run, stop = std::move(stop), method] {
    const Use<GraphState> used = std::move(run->graph);
    const std::vector<KeptUse> states = std::move(run->kept);
    const RunPool::Lease lease(*used->runs);
    KeptRun kept(states, run->in, run->out);
    try {
      used->executor->run(*lease, run->in, run->out, {stop, &used->stopping, method});
      kept.finish();
    } catch (...) {
      kept.fail(std::current_exception());
      throw;
    }
  };
  job->out_of_memory = context->failures.compute;
  job->after = std::move(done);
  push(context, std::move(job));
}

}  // namespace

void MLContext::compute(const MLGraph& graph, ListView<NamedInput> inputs,
                        ListView<NamedOutput> outputs, std::stop_token stop) {
  const BorrowedUse<GraphState> use = usable_here(graph, *state_, "compute");
  if (use->kept && !use->kept->unnamed(inputs, outputs).empty()) {
    std::promise<void> promise;
    const auto done = [&promise](std::exception_ptr failure) {
      if (failure) promise.set_exception(std::move(failure));
      else promise.set_value();
    };
    start(state_, usable(graph, *state_, "compute"), inputs, outputs, done, std::move(stop),
          "compute");
    return promise.get_future().get();
  }
  try {
    Use<GraphState> known;  // of an open graph
    if (use->open)
      known = used(use->open->at(*state_, sizes_of(*use, inputs, "compute"), "compute"), "compute");
    GraphState& g = use->open ? *known : *use;
    const RunPool::Lease run(*g.runs);
    arrange(g, inputs, outputs, run->in, run->out, run->ranges, "compute");
    g.executor->run(*run, run->in, run->out, {std::move(stop), &g.stopping});
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "compute");
  }
}

void MLContext::compute_async(const MLGraph& graph, ListView<NamedInput> inputs,
                              ListView<NamedOutput> outputs,
                              std::function<void(std::exception_ptr)> done, std::stop_token stop) {
  start(state_, usable(graph, *state_, "compute_async"), inputs, outputs, std::move(done),
        std::move(stop), "compute_async");
}

std::future<void> MLContext::compute_async(const MLGraph& graph, ListView<NamedInput> inputs,
                                           ListView<NamedOutput> outputs, std::stop_token stop) {
  auto promise = std::make_shared<std::promise<void>>();
  auto future = promise->get_future();
  const auto done = [promise](std::exception_ptr failure) {
    if (failure) promise->set_exception(failure);
    else promise->set_value();
  };
  compute_async(graph, inputs, outputs, done, std::move(stop));
  return future;
}

namespace {

Use<GraphState> profiled(const MLGraph& graph, const ContextState& context, int runs) {
  Use<GraphState> g = usable(graph, context, "profile");
  if (g->open) g = usable_sized(graph);
  if (runs < 1 || runs > 1000000)
    raise(fail("runs ({}) is not between 1 and 1000000", runs), "profile");
  return g;
}

std::vector<double> profile(GraphState& g, int runs) {
  std::vector<AlignedBytes> memory;
  const auto zeros = [&](const MLOperandDescriptor& d) {
    return memory.emplace_back(aligned_bytes(byte_length(d), g.executor->memory())).get();
  };
  std::vector<const std::byte*> in;
  std::vector<std::byte*> out;
  try {
    for (const auto& [name, d] : g.outputs) out.push_back(zeros(d));
    in.resize(g.inputs.size());
    for (const StateUpdate& u : g.updates)  // as a dispatch updates it
      if (u.in_place) in[u.input] = out[u.output];
    for (std::size_t i = 0; i < in.size(); ++i)
      if (!in[i]) in[i] = zeros(g.inputs[i].descriptor);
    std::vector<GrowingSizes> full;
    if (g.growing) {
      full.assign(1 + g.growing->sequences, {g.growing->sizes[g.growing->past]});
      in.push_back(reinterpret_cast<const std::byte*>(full.data()));
    }
    std::vector<std::vector<std::byte*>> tables;
    for (const StateUpdate& u : g.updates)
      if (g.growing && g.growing->sequences > 0) {
        const std::size_t count = g.growing->sequences,
                          each = byte_length(g.outputs[u.output].descriptor) / count;
        for (std::size_t i = tables.emplace_back(count).size(); i-- > 0;)
          tables.back()[i] = out[u.output] + i * each;
        out[u.output] = reinterpret_cast<std::byte*>(tables.back().data());
        in[u.input] = out[u.output];
      }
    const RunPool::Lease run(*g.runs);
    return g.executor->profile(*run, in, out, runs, {{}, &g.stopping, "profile"});
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "profile");
  }
}

}  // namespace

std::vector<double> MLContext::profile(const MLGraph& graph, int runs) {
  return webnn::profile(*profiled(graph, *state_, runs), runs);
}

void MLContext::profile_async(const MLGraph& graph, int runs,
                              std::function<void(std::exception_ptr, std::vector<double>)> done) {
  struct Profile {
    Use<GraphState> graph;
    std::vector<double> microseconds{};
  };
  const auto result = std::make_shared<Profile>(Profile{profiled(graph, *state_, runs)});
  auto job = state_->timeline.take();
  job->kind = Job::Kind::call;
  job->call = [runs, result] {
    const Use<GraphState> used = std::move(result->graph);
    result->microseconds = webnn::profile(*used, runs);
  };
  job->out_of_memory = state_->failures.profile;
  job->after = [result, done = std::move(done)](std::exception_ptr failure) {
    done(std::move(failure), std::move(result->microseconds));
  };
  push(state_, std::move(job));
}

std::future<std::vector<double>> MLContext::profile_async(const MLGraph& graph, int runs) {
  auto promise = std::make_shared<std::promise<std::vector<double>>>();
  auto future = promise->get_future();
  profile_async(graph, runs, [promise](std::exception_ptr failure, std::vector<double> us) {
    if (failure) promise->set_exception(failure);
    else promise->set_value(std::move(us));
  });
  return future;
}

}  // namespace webnn::inline v0_1
