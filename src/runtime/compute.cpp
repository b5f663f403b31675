// The three ways to run a graph: compute, compute_async, dispatch.
#include "src/runtime/context_state.h"
#include "src/runtime/dispatch_job.h"
#include "src/runtime/graph_state.h"
#include "src/runtime/tensor.h"
#include "webnn/graph.h"

namespace webnn {
namespace {

std::string listed(const NamedDescriptors& all) {
  std::string s;
  for (const auto& [name, d] : all)
    s += format("{}\"{}\" {} {}", {Arg(s.empty() ? "" : ", "), Arg(escaped(name)), Arg(d.dataType),
                                   Arg(std::span(d.shape))});
  return s.empty() ? "none" : s;
}

/// The place of a name in a graph's inputs or outputs. `what` is "input" or "output".
std::size_t find(const NamedDescriptors& all, std::string_view name, std::size_t hint,
                 const char* what, std::string_view method) {
  if (hint < all.size() && all[hint].first == name) return hint;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].first == name) return i;
  raise(fail("no {} named \"{}\"; the graph has {}", what, escaped(name), listed(all)), method);
}

template <class V>
void check_view(const V& v, const MLOperandDescriptor& d, std::string_view name, const char* what,
                std::string_view method) {
  if (!v.views(d.dataType))
    raise(fail("the elements of {} \"{}\" are not of its data type ({})", what, escaped(name),
               d.dataType),
          method);
  if (v.size() != byte_length(d))
    raise(fail("the byte length ({}) of {} \"{}\" is not that of {} {} ({})", v.size(), what,
               escaped(name), d.dataType, d.shape, byte_length(d)),
          method);
  const auto unit = static_cast<std::size_t>(std::max(8, bits_of(d.dataType))) / 8;
  if (reinterpret_cast<std::uintptr_t>(v.data()) % unit != 0)
    raise(fail("the memory of {} \"{}\" is not aligned to its elements ({} bytes)", what,
               escaped(name), unit),
          method);
}

bool overlap(const std::byte* a, std::uint64_t a_size, const std::byte* b, std::uint64_t b_size) {
  return std::less<>()(a, b + b_size) && std::less<>()(b, a + a_size);
}

void check_overlap(const GraphState& g, std::span<const std::byte* const> in,
                   std::span<std::byte* const> out, std::string_view method) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out[i]) continue;
    const auto size = byte_length(g.outputs[i].second);
    for (std::size_t k = 0; k < in.size(); ++k)
      if (overlap(out[i], size, in[k], byte_length(g.inputs[k].second)))
        raise(fail("the memory of output \"{}\" overlaps that of input \"{}\"",
                   escaped(g.outputs[i].first), escaped(g.inputs[k].first)),
              method);
    for (std::size_t k = 0; k < i; ++k)
      if (out[k] && overlap(out[i], size, out[k], byte_length(g.outputs[k].second)))
        raise(fail("the memory of output \"{}\" overlaps that of output \"{}\"",
                   escaped(g.outputs[i].first), escaped(g.outputs[k].first)),
              method);
  }
}

/// Puts the caller's memory in the graph's order.
void arrange(const GraphState& g, ListView<NamedInput> inputs, ListView<NamedOutput> outputs,
             std::span<const std::byte*> in, std::span<std::byte*> out, std::string_view method) {
  std::fill(in.begin(), in.end(), nullptr);
  std::fill(out.begin(), out.end(), nullptr);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& [name, data] = inputs[i];
    const std::size_t k = find(g.inputs, name, i, "input", method);
    if (in[k]) raise(fail("input \"{}\" is given twice", escaped(name)), method);
    check_view(data, g.inputs[k].second, name, "input", method);
    in[k] = data.data();
  }
  for (std::size_t k = 0; k < in.size(); ++k)
    if (!in[k]) raise(fail("input \"{}\" is missing", escaped(g.inputs[k].first)), method);
  if (outputs.empty()) raise(fail("no output is asked for"), method);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [name, data] = outputs[i];
    const std::size_t k = find(g.outputs, name, i, "output", method);
    if (out[k]) raise(fail("output \"{}\" is given twice", escaped(name)), method);
    check_view(data, g.outputs[k].second, name, "output", method);
    out[k] = data.data();
  }
  check_overlap(g, in, out, method);
}

void run(GraphState& g, std::span<const std::byte* const> in, std::span<std::byte* const> out,
         std::string_view method) {
  try {
    g.executor->run(in, out);
  } catch (const std::bad_alloc&) { raise({"out of memory", ErrorName::OperationError}, method); }
}

// Tensors

void check_tensors(ListView<NamedTensor> list, const char* what, const ContextState& context) {
  for (const auto& [name, tensor] : list) {
    if (!tensor) raise(fail("the tensor of {} \"{}\" is empty", what, escaped(name)), "dispatch");
    const TensorState& t = *tensor.state();
    if (t.context.lock().get() != &context)
      raise(fail("the tensor of {} \"{}\" belongs to another context", what, escaped(name)),
            "dispatch");
    if (t.destroyed)
      raise(fail("the tensor of {} \"{}\" is destroyed", what, escaped(name)), "dispatch");
  }
}

void check_twice(ListView<NamedTensor> inputs, ListView<NamedTensor> outputs) {
  const std::size_t count = inputs.size() + outputs.size();
  const auto at = [&](std::size_t i) -> const NamedTensor& {
    return i < inputs.size() ? inputs[i] : outputs[i - inputs.size()];
  };
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (at(i).tensor && at(i).tensor.state() == at(k).tensor.state())
        raise(fail("one tensor is used for \"{}\" and for \"{}\"", escaped(at(k).name),
                   escaped(at(i).name)),
              "dispatch");
}

void arrange(ListView<NamedTensor> list, const NamedDescriptors& all, const char* what,
             std::vector<std::shared_ptr<TensorState>>& states) {
  if (list.size() != all.size())
    raise(fail("the number ({}) of {}s is not {}: the graph has {}", list.size(), what, all.size(),
               listed(all)),
          "dispatch");
  states.resize(all.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& [name, tensor] = list[i];
    const TensorState& t = *tensor.state();
    if (t.constant)
      raise(fail("the tensor of {} \"{}\" is a constant", what, escaped(name)), "dispatch");
    const std::size_t k = find(all, name, i, what, "dispatch");
    if (states[k]) raise(fail("{} \"{}\" is given twice", what, escaped(name)), "dispatch");
    const MLOperandDescriptor& d = all[k].second;
    if (t.descriptor != d)
      raise(fail("the tensor of {} \"{}\" is {} {}, not {} {}", what, escaped(name),
                 t.descriptor.dataType, t.descriptor.shape, d.dataType, d.shape),
            "dispatch");
    states[k] = tensor.state();
  }
}

}  // namespace

void MLContext::compute(const MLGraph& graph, ListView<NamedInput> inputs,
                        ListView<NamedOutput> outputs) {
  GraphState& g = usable(graph, *state_, "compute");
  const std::lock_guard lock(g.running);
  arrange(g, inputs, outputs, g.in, g.out, "compute");
  run(g, g.in, g.out, "compute");
}

void MLContext::compute_async(const MLGraph& graph, ListView<NamedInput> inputs,
                              ListView<NamedOutput> outputs,
                              std::function<void(std::exception_ptr)> done) {
  const GraphState& g = usable(graph, *state_, "compute_async");
  std::vector<const std::byte*> in(g.inputs.size());
  std::vector<std::byte*> out(g.outputs.size());
  arrange(g, inputs, outputs, in, out, "compute_async");
  auto job = state_->timeline.take();
  job->kind = Job::Kind::call;
  const auto failure = std::make_shared<std::exception_ptr>();
  job->call = [state = graph.state(), in = std::move(in), out = std::move(out), failure] {
    try {
      const std::lock_guard lock(state->running);
      run(*state, in, out, "compute_async");
    } catch (...) { *failure = std::current_exception(); }
  };
  job->after = [failure, done = std::move(done)] { done(*failure); };
  state_->timeline.push(std::move(job));
}

std::future<void> MLContext::compute_async(const MLGraph& graph, ListView<NamedInput> inputs,
                                           ListView<NamedOutput> outputs) {
  auto promise = std::make_shared<std::promise<void>>();
  auto future = promise->get_future();
  compute_async(graph, inputs, outputs, [promise](std::exception_ptr failure) {
    if (failure) promise->set_exception(failure);
    else promise->set_value();
  });
  return future;
}

std::unique_ptr<Job> dispatch_job(ContextState& context, const MLGraph& graph,
                                  ListView<NamedTensor> inputs, ListView<NamedTensor> outputs) {
  const GraphState& g = usable(graph, context, "dispatch");
  check_twice(inputs, outputs);
  check_tensors(inputs, "input", context);
  check_tensors(outputs, "output", context);
  auto job = context.timeline.take();
  job->kind = Job::Kind::dispatch;
  arrange(inputs, g.inputs, "input", job->inputs);
  arrange(outputs, g.outputs, "output", job->outputs);
  job->graph = graph.state();
  return job;
}

void MLContext::dispatch(const MLGraph& graph, ListView<NamedTensor> inputs,
                         ListView<NamedTensor> outputs) {
  state_->timeline.push(dispatch_job(*state_, graph, inputs, outputs));
}

namespace {

GraphState& profiled(const MLGraph& graph, const ContextState& context, int runs) {
  GraphState& g = usable(graph, context, "profile");
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
    const std::lock_guard lock(g.running);
    return g.executor->profile(in, out, runs);
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "profile");
  }
}

}  // namespace

std::vector<double> MLContext::profile(const MLGraph& graph, int runs) {
  return webnn::profile(profiled(graph, *state_, runs), runs);
}

void MLContext::profile_async(const MLGraph& graph, int runs,
                              std::function<void(std::exception_ptr, std::vector<double>)> done) {
  profiled(graph, *state_, runs);
  struct Profile {
    std::exception_ptr failure{};
    std::vector<double> microseconds{};
  };
  const auto result = std::make_shared<Profile>();
  auto job = state_->timeline.take();
  job->kind = Job::Kind::call;
  job->call = [state = graph.state(), runs, result] {
    try {
      result->microseconds = webnn::profile(*state, runs);
    } catch (...) { result->failure = std::current_exception(); }
  };
  job->after = [result, done = std::move(done)] {
    done(result->failure, std::move(result->microseconds));
  };
  state_->timeline.push(std::move(job));
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

}  // namespace webnn
