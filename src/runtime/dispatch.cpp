// Runs of a graph on tensors.
#include <algorithm>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/runtime/computed_inputs.h"
#include "src/runtime/context_state.h"
#include "src/runtime/dispatch_job.h"
#include "src/runtime/graph_state.h"
#include "src/runtime/joined_states.h"
#include "src/runtime/named_values.h"
#include "src/runtime/tensor.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1 {
namespace {

/// The sizes of an open graph that inputs say.
DimensionSizes sizes_of(const GraphState& g, ListView<NamedTensor> inputs) {
  std::vector<GivenShape> given;
  for (const auto& [name, tensor] : inputs) {
    if (!tensor) raise(fail("the tensor of input \"{}\" is empty", escaped(name)), "dispatch");
    given.push_back({name, detail::state_of(tensor)->descriptor.shape, true});
  }
  return sizes_of(g.open->graph(), given, "dispatch");
}
/// A graph whose sizes are known, which runs, for one that may be open.
Use<GraphState> sized(Use<GraphState> graph, ContextState& context, ListView<NamedTensor> inputs) {
  if (!graph->open) return graph;
  return used(graph->open->at(context, sizes_of(*graph, inputs), "dispatch"), "dispatch");
}

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

/// Whether an output can be in a tensor that grows.
void check_growth(const TensorState& t, const NamedDescriptor& output) {
  const auto& [name, d] = output;
  const std::size_t axis = t.growth->axis;
  Dims shape = t.descriptor.shape;
  if (shape.size() == d.shape.size()) shape[axis] = d.shape[axis];
  if (t.descriptor.dataType != d.dataType || shape != d.shape)
    raise(fail("the tensor of output \"{}\" is {} {}, which grows along dimension {}, not {} {}",
               escaped(name), t.descriptor.dataType, t.descriptor.shape, axis, d.dataType, d.shape),
          "dispatch");
  if (d.shape[axis] > t.growth->capacity)
    raise(fail("the size ({}) of dimension {} of output \"{}\" is beyond the bound of its state "
               "({})",
               d.shape[axis], axis, escaped(name), t.growth->capacity),
          "dispatch");
}

/// `optional` says which may be left out, `is_growing` whether the graph serves many sizes.
void arrange(ListView<NamedTensor> list, const NamedDescriptors& all, const NameIndex& index,
             const std::vector<bool>& optional, bool outputs, bool is_growing,
             std::vector<Use<TensorState>>& states) {
  const char* const what = outputs ? "output" : "input";
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
    if (t.growth && outputs) check_growth(t, all[k]);
    // The sizes of the inputs of a graph that serves many are known to be right.
    else if (is_growing && !outputs ? t.descriptor.dataType != d.dataType : t.descriptor != d)
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

/// Those that a graph has at its sizes: tensors without elements are not among its inputs.
std::vector<NamedTensor> with_elements(const GraphState& g, ListView<NamedTensor> inputs) {
  std::vector<NamedTensor> some;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (std::ranges::find(g.empty_inputs, inputs[i].name) == g.empty_inputs.end())
      some.push_back(inputs[i]);
  return some;
}

bool grows(const NamedTensor& x) { return x.tensor && detail::state_of(x.tensor)->growth; }
bool any_grows(ListView<NamedTensor> list) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (grows(list[i])) return true;
  return false;
}

std::unique_ptr<Job> job_of(ContextState& context, Use<GraphState> use,
                            ListView<NamedTensor> inputs, ListView<NamedTensor> outputs) {
  const GraphState& g = *use;
  if (!g.empty_inputs.empty()) {
    const std::vector<NamedTensor> some = with_elements(g, inputs);
    if (some.size() < inputs.size()) {
      check_tensors(inputs, "input", context);
      return job_of(context, std::move(use), some, outputs);
    }
  }
  auto job = context.timeline.take();
  check_twice(g, inputs, outputs, job->sorted);
  check_tensors(inputs, "input", context);
  check_tensors(outputs, "output", context);
  job->kind = Job::Kind::dispatch;
  job->out_of_memory = context.failures.dispatch;
  arrange(inputs, g.inputs, g.input_index, g.optional, false, g.growing.has_value(), job->inputs);
  arrange(outputs, g.outputs, g.output_index, {}, true, g.growing.has_value(), job->outputs);
  job->graph = std::move(use);
  return job;
}

/// The sizes of the states that grow, as the next job finds them.
void grow(const Job& job) {
  const GraphState& g = *job.graph;
  for (std::size_t i = 0; i < job.outputs.size(); ++i)
    if (TensorState& t = *job.outputs[i]; t.growth) {
      if (!t.parts.empty()) grow_parts(job, t, g.growing->fresh);
      t.descriptor.shape[t.growth->axis] = g.growing
                                               ? job.sizes.past + g.growing->fresh
                                               : g.outputs[i].descriptor.shape[t.growth->axis];
    }
}

const MLTensor* find(ListView<NamedTensor> list, std::string_view name) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return &list[i].tensor;
  return nullptr;
}

/// Whether each state that grows has its tensor for the input and for the output, and nothing else
/// that grows is given. `joined`: all of them are joined states, or none is.
bool have_states(const Specializations& open, ListView<NamedTensor> inputs,
                 ListView<NamedTensor> outputs, bool joined) {
  const MLDynamicDimension* past = open.growing_dimension();
  if (!past) return false;
  std::size_t states = 0, given = 0;
  for (const NamedUpdate& u : open.updates()) {
    if (!u.axis) continue;
    ++states;
    const MLTensor *in = find(inputs, u.input), *out = find(outputs, u.output);
    if (!in || !out || !*in || detail::state_of(*in) != detail::state_of(*out)) return false;
    const auto& growth = detail::state_of(*in)->growth;
    if (!growth || growth->axis != *u.axis || growth->capacity != past->maxSize) return false;
    if (detail::state_of(*in)->parts.empty() == joined) return false;
  }
  for (const auto& list : {inputs, outputs})
    for (std::size_t i = 0; i < list.size(); ++i) given += grows(list[i]);
  return given == 2 * states;
}

/// The sizes of a job with states that grow, and the graph that serves all their lengths, if there
/// is one.
struct StatesRun {
  JoinedStates joined;
  DimensionSizes sizes{};
  std::shared_ptr<GraphState> growing{};

  StatesRun(const GraphState& g, ContextState& context, ListView<NamedTensor> inputs,
            ListView<NamedTensor> outputs)
      : joined(inputs, outputs), sizes(sizes_of(g, inputs)) {
    if (have_states(*g.open, inputs, outputs, joined.sequences > 0))
      growing = g.open->growing(context, sizes, joined.sequences);
    if (joined.sequences > 0 && !growing)
      raise({"the graph cannot run with joined states: only attention may read them, and a run "
             "must add one row to each",
             ErrorName::NotSupportedError},
            "dispatch");
  }
  const LengthValues* values() const {
    return growing && !growing->growing->parts.values.empty() ? &growing->growing->parts.values
                                                              : nullptr;
  }
};

/// The job on states that grow. `lock` holds ContextState::states, but not while it waits for
/// values that something is computed with.
std::unique_ptr<Job> job_of_states(const std::shared_ptr<ContextState>& context,
                                   Use<GraphState> graph, ListView<NamedTensor> inputs,
                                   ListView<NamedTensor> outputs,
                                   std::unique_lock<std::recursive_mutex>& lock) {
  if (!graph->open) {
    if (JoinedStates(inputs, outputs).sequences > 0)
      raise(fail("the graph has no states that grow, and joined states are only for those"),
            "dispatch");
    return job_of(*context, std::move(graph), inputs, outputs);
  }
  Specializations& open = *graph->open;
  const GraphData& data = data_of(open.graph());
  StatesRun run(*graph, *context, inputs, outputs);
  std::shared_ptr<GraphState> read_for;
  std::optional<std::vector<Constant>> read;
  while (run.values() && !run.values()->inputs.empty() && read_for != run.growing) {
    read_for = run.growing;
    lock.unlock();
    read = values_of(*context, *run.values(), data, inputs);
    lock.lock();
    run = StatesRun(*graph, *context, inputs, outputs);  // another thread may have made it longer
  }
  std::vector<NamedTensor> all;
  if (const LengthValues* values = run.values()) {
    const StateLengths lengths = run.growing->growing->lengths(run.sizes);
    if (values->inputs.empty()) read.emplace();
    const Use<GraphState> use(run.growing);
    const auto results = read && use
                             ? compute(*values, data, run.sizes, lengths, *read, use->length_graph)
                             : std::nullopt;
    if (results) {
      for (std::size_t i = 0; i < inputs.size(); ++i) all.push_back(inputs[i]);
      for (NamedTensor& x :
           computed_inputs(*context, *values, *results, run.growing->inputs, lengths))
        all.push_back(std::move(x));
      inputs = all;
    } else {
      run.growing.reset();
    }
  }
  if (!run.growing)
    return job_of(*context, used(open.at(*context, run.sizes, "dispatch"), "dispatch"), inputs,
                  outputs);
  const GrowingSizes sizes{run.sizes[run.growing->growing->past]};
  auto job = job_of(*context, used(std::move(run.growing), "dispatch"), inputs, outputs);
  job->sizes = sizes;
  if (run.joined.sequences > 0) {
    job->joined = std::move(run.joined.sizes);
    use_parts(*job);
  }
  return job;
}

}  // namespace

std::unique_ptr<Job> dispatch_job(ContextState& context, const MLGraph& graph,
                                  ListView<NamedTensor> inputs, ListView<NamedTensor> outputs) {
  Use<GraphState> use = usable(graph, context, "dispatch");
  std::vector<NamedTensor> all_inputs, all_outputs;
  if (use->kept) use->kept->complete(inputs, outputs, all_inputs, all_outputs);
  if (any_grows(inputs) || any_grows(outputs))
    raise(fail("a tensor is a state that grows, which only MLContext::dispatch() takes"),
          "dispatch");
  return job_of(context, sized(std::move(use), context, inputs), inputs, outputs);
}

void MLContext::dispatch(const MLGraph& graph, ListView<NamedTensor> inputs,
                         ListView<NamedTensor> outputs, std::stop_token stop) {
  Use<GraphState> use = usable(graph, *state_, "dispatch");
  std::vector<NamedTensor> all_inputs, all_outputs;
  if (use->kept) use->kept->complete(inputs, outputs, all_inputs, all_outputs);
  if (any_grows(inputs) || any_grows(outputs)) {
    std::unique_lock lock(state_->states);
    auto job = job_of_states(state_, std::move(use), inputs, outputs, lock);
    job->stop = std::move(stop);
    grow(*job);
    return push(state_, std::move(job));
  }
  auto job = job_of(*state_, sized(std::move(use), *state_, inputs), inputs, outputs);
  job->stop = std::move(stop);
  push(state_, std::move(job));
}

}  // namespace webnn::inline v0_1
