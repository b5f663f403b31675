// The three ways to run a graph: compute, compute_async, dispatch.
#include <algorithm>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/runtime/context_state.h"
#include "src/runtime/dispatch_job.h"
#include "src/runtime/graph_state.h"
#include "src/runtime/tensor.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1 {
namespace {

std::string listed(const NamedDescriptors& all) {
  if (all.empty()) return "none";
  return joined(all, ", ", [](const NamedDescriptor& x) {
    const auto& [name, d] = x;
    return format("\"{}\" {} {}", {Arg(escaped(name)), Arg(d.dataType), Arg(std::span(d.shape))});
  });
}

/// The place of a name in a graph's inputs or outputs. `what` is "input" or "output".
std::size_t find(const NamedDescriptors& all, const NameIndex& index, std::string_view name,
                 std::size_t hint, const char* what, std::string_view method) {
  const std::size_t i = index.find(name, hint);
  if (i != NameIndex::none) return i;
  raise(fail("no {} named \"{}\"; the graph has {}", what, escaped(name), listed(all)), method);
}

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

/// Puts the caller's memory in the graph's order.
void arrange(const GraphState& g, ListView<NamedInput> inputs, ListView<NamedOutput> outputs,
             std::span<const std::byte*> in, std::span<std::byte*> out,
             std::vector<MemoryRange>& ranges, std::string_view method) {
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
    if (!in[k] && !g.optional[k])
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
DimensionSizes sizes_of(const GraphState& g, ListView<NamedTensor> inputs,
                        std::string_view method) {
  std::vector<GivenShape> given;
  for (const auto& [name, tensor] : inputs) {
    if (!tensor) raise(fail("the tensor of input \"{}\" is empty", escaped(name)), method);
    given.push_back({name, detail::state_of(tensor)->descriptor.shape, true});
  }
  return sizes_of(g.open->graph(), given, method);
}

/// A graph whose sizes are known, which runs, for one that may be open.
template <class Inputs>
Use<GraphState> sized(Use<GraphState> graph, ContextState& context, const Inputs& inputs,
                      std::string_view method) {
  if (!graph->open) return graph;
  return used(graph->open->at(context, sizes_of(*graph, inputs, method), method), method);
}

// Tensors

void check_tensors(ListView<NamedTensor> list, const char* what, const ContextState& context) {
  for (const auto& [name, tensor] : list) {
    if (!tensor) raise(fail("the tensor of {} \"{}\" is empty", what, escaped(name)), "dispatch");
    const TensorState& t = *detail::state_of(tensor);
    if (!same(t.context, context))
      raise(fail("the tensor of {} \"{}\" belongs to another context", what, escaped(name)),
            "dispatch");
    if (t.destroyed())
      raise(fail("the tensor of {} \"{}\" is destroyed", what, escaped(name)), "dispatch");
  }
}

/// Whether a tensor stands for an input and an output that the graph declares as its update.
bool is_update(const GraphState& g, ListView<NamedTensor> inputs, const NamedTensor& output) {
  for (const StateUpdate& u : g.updates) {
    if (g.outputs[u.output].name != output.name) continue;
    for (const NamedTensor& input : inputs)
      if (input.name == g.inputs[u.input].name && input.tensor &&
          detail::state_of(input.tensor) == detail::state_of(output.tensor))
        return true;
  }
  return false;
}

void check_twice(const GraphState& g, ListView<NamedTensor> inputs, ListView<NamedTensor> outputs,
                 std::vector<const void*>& sorted) {
  const std::size_t count = inputs.size() + outputs.size();
  const auto at = [&](std::size_t i) -> const NamedTensor& {
    return i < inputs.size() ? inputs[i] : outputs[i - inputs.size()];
  };
  sorted.clear();
  for (std::size_t i = 0; i < count; ++i)
    if (at(i).tensor && (i < inputs.size() || g.updates.empty() || !is_update(g, inputs, at(i))))
      sorted.push_back(detail::state_of(at(i).tensor).get());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i)
    if (detail::state_of(at(i).tensor).get() == *twice) names.push_back(escaped(at(i).name));
  raise(fail("one tensor is used for \"{}\" and for \"{}\"", names[0], names[1]), "dispatch");
}

/// `optional` says which may be left out.
void arrange(ListView<NamedTensor> list, const NamedDescriptors& all, const NameIndex& index,
             const std::vector<bool>& optional, const char* what,
             std::vector<Use<TensorState>>& states) {
  const auto fewest = [&] {
    return all.size() - static_cast<std::size_t>(std::ranges::count(optional, true));
  };
  if (list.size() != all.size() && (list.size() > all.size() || list.size() < fewest()))
    raise(fail("the number ({}) of {}s is not {}: the graph has {}", list.size(), what, all.size(),
               listed(all)),
          "dispatch");
  states.resize(all.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& [name, tensor] = list[i];
    const TensorState& t = *detail::state_of(tensor);
    if (t.constant)
      raise(fail("the tensor of {} \"{}\" is a constant", what, escaped(name)), "dispatch");
    const std::size_t k = find(all, index, name, i, what, "dispatch");
    if (states[k]) raise(fail("{} \"{}\" is given twice", what, escaped(name)), "dispatch");
    const MLOperandDescriptor& d = all[k].descriptor;
    if (t.descriptor != d)
      raise(fail("the tensor of {} \"{}\" is {} {}, not {} {}", what, escaped(name),
                 t.descriptor.dataType, t.descriptor.shape, d.dataType, d.shape),
            "dispatch");
    states[k] = Use<TensorState>(detail::state_of(tensor));
    if (!states[k])  // just now
      raise(fail("the tensor of {} \"{}\" is destroyed", what, escaped(name)), "dispatch");
  }
  for (std::size_t k = 0; list.size() < all.size() && k < all.size(); ++k)
    if (!states[k] && !optional[k])
      raise(fail("{} \"{}\" is missing", what, escaped(all[k].name)), "dispatch");
}

}  // namespace

void MLContext::compute(const MLGraph& graph, ListView<NamedInput> inputs,
                        ListView<NamedOutput> outputs, std::stop_token stop) {
  const BorrowedUse<GraphState> use = usable_here(graph, *state_, "compute");
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
  Use<GraphState> use =
      sized(usable(graph, *state_, "compute_async"), *state_, inputs, "compute_async");
  const GraphState& g = *use;
  struct Run {
    Use<GraphState> graph;
    std::vector<const std::byte*> in;
    std::vector<std::byte*> out;
  };
  const auto run =
      std::make_shared<Run>(Run{std::move(use), std::vector<const std::byte*>(g.inputs.size()),
                                std::vector<std::byte*>(g.outputs.size())});
  std::vector<MemoryRange> ranges;
  arrange(g, inputs, outputs, run->in, run->out, ranges, "compute_async");
  auto job = state_->timeline.take();
  job->kind = Job::Kind::call;
  job->call = [run, stop = std::move(stop)] {
    const Use<GraphState> used = std::move(run->graph);
    const RunPool::Lease lease(*used->runs);
    used->executor->run(*lease, run->in, run->out, {stop, &used->stopping, "compute_async"});
  };
  job->out_of_memory = state_->failures.compute;
  job->after = std::move(done);
  push(state_, std::move(job));
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

std::unique_ptr<Job> dispatch_job(ContextState& context, const MLGraph& graph,
                                  ListView<NamedTensor> inputs, ListView<NamedTensor> outputs) {
  Use<GraphState> use = sized(usable(graph, context, "dispatch"), context, inputs, "dispatch");
  const GraphState& g = *use;
  auto job = context.timeline.take();
  check_twice(g, inputs, outputs, job->sorted);
  check_tensors(inputs, "input", context);
  check_tensors(outputs, "output", context);
  job->kind = Job::Kind::dispatch;
  job->out_of_memory = context.failures.dispatch;
  arrange(inputs, g.inputs, g.input_index, g.optional, "input", job->inputs);
  arrange(outputs, g.outputs, g.output_index, {}, "output", job->outputs);
  job->graph = std::move(use);
  return job;
}

void MLContext::dispatch(const MLGraph& graph, ListView<NamedTensor> inputs,
                         ListView<NamedTensor> outputs, std::stop_token stop) {
  auto job = dispatch_job(*state_, graph, inputs, outputs);
  job->stop = std::move(stop);
  push(state_, std::move(job));
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
  std::vector<const std::byte*> in;
  std::vector<std::byte*> out;
  try {
    for (const auto& [name, d] : g.inputs)
      in.push_back(memory.emplace_back(aligned_bytes(byte_length(d))).get());
    for (const auto& [name, d] : g.outputs)
      out.push_back(memory.emplace_back(aligned_bytes(byte_length(d))).get());
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
