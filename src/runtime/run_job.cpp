#include "src/runtime/run_job.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "src/runtime/graph_state.h"
#include "src/runtime/joined_states.h"
#include "src/runtime/tensor.h"

namespace webnn::inline v0_1 {
namespace {

constexpr float max_light_us = 20;

/// Whether the next run of a graph is to be measured: of light ones each sixteenth, since to read
/// the clock takes a part of their time.
bool is_measured(GraphState& g) {
  return g.last_run_us.load(std::memory_order_relaxed) > max_light_us || g.light_runs++ % 16 == 15;
}

/// The exception that is being handled.
std::exception_ptr current_failure(const Job& job) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return job.out_of_memory ? job.out_of_memory : std::current_exception();
  } catch (...) { return std::current_exception(); }
}

/// Whether what a run writes is copied to its tensor afterwards.
bool is_beside(const Job& job, std::size_t output) {
  const TensorState& t = *job.outputs[output];
  for (const StateUpdate& u : job.graph->updates)
    if (u.output == output && job.inputs[u.input].get() == &t)
      return !u.in_place || (t.growth && !job.graph->growing);
  return t.growth &&
         (!t.growth->is_contiguous() ||
          std::ranges::any_of(job.inputs, [&](const auto& x) { return x.get() == &t; }));
}
std::uint32_t rows_of(const TensorState& t, const NamedDescriptor& d) {
  return d.descriptor.shape[t.growth->axis];
}

/// The memory of the tensors. A state that cannot be updated in place is written beside its tensor,
/// and one that grows is read and written beside it where its rows are not contiguous.
void arrange(Run& run, const Job& job, std::vector<AlignedBytes>& beside) {
  const GraphState& g = *job.graph;
  for (std::size_t i = 0; i < job.outputs.size(); ++i) run.out[i] = nullptr;
  const auto memory = [&](std::size_t bytes) {
    return beside.emplace_back(aligned_bytes(bytes, g.executor->memory())).get();
  };
  const auto changed = [&](TensorState& t) {
    if (t.parts.empty()) return t.change(g.growing ? job.sizes.past : 0);
    std::byte* table = memory(table_bytes(t));
    put_addresses(t, std::span(job.joined).subspan(1), table);
    return table;
  };
  for (const StateUpdate& u : g.updates)
    if (job.inputs[u.input].get() == job.outputs[u.output].get() && !is_beside(job, u.output)) {
      run.out[u.output] = changed(*job.outputs[u.output]);
      run.in[u.input] = run.out[u.output];
    }
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    if (run.out[i]) continue;
    run.out[i] = is_beside(job, i) ? memory(g.output_bytes[i]) : job.outputs[i]->overwrite();
  }
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {  // none for an input that is not read
    const TensorState* t = job.inputs[i].get();
    if (t && !t->parts.empty()) continue;  // the table of the output
    run.in[i] = t ? t->values() : nullptr;
    if (!t || !t->growth || t->growth->is_contiguous() || g.growing) continue;
    std::byte* rows = memory(g.input_bytes[i]);
    t->growth->gather(t->values(), rows_of(*t, g.inputs[i]), rows);
    run.in[i] = rows;
  }
  if (g.growing)
    run.in.back() =
        reinterpret_cast<const std::byte*>(job.joined.empty() ? &job.sizes : job.joined.data());
}

/// Copies what was written beside its tensor.
void keep_states(const Run& run, const Job& job) {
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    if (!is_beside(job, i)) continue;
    TensorState& t = *job.outputs[i];
    if (t.growth) t.growth->scatter(run.out[i], rows_of(t, job.graph->outputs[i]), t.overwrite());
    else std::memcpy(t.overwrite(), run.out[i], t.memory->size);
  }
}

/// How many rows of a state are right although the run of a job has failed.
std::uint32_t rows_before(const Job& job, const TensorState& t) {
  for (std::size_t i = 0; i < job.inputs.size(); ++i)
    if (job.inputs[i].get() == &t)
      return job.graph->growing ? job.sizes.past : rows_of(t, job.graph->inputs[i]);
  return 0;
}

void set_failure(TensorState& t, const std::exception_ptr& failure, std::uint32_t before) {
  if (t.growth) t.growth->intact = t.failure ? std::min(t.growth->intact, before) : before;
  t.failure = failure;
}
void set_failure(const Job& job, TensorState& t, const std::exception_ptr& failure) {
  for (std::size_t i = 0; i < t.parts.size(); ++i)
    set_failure(*t.parts[i], failure, job.joined[1 + i].past);
  if (t.parts.empty()) set_failure(t, failure, t.growth ? rows_before(job, t) : 0);
}

void dispatch(Job& job) {
  GraphState& g = *job.graph;
  try {
    for (const auto& t : job.inputs)
      if (t && t->failure) std::rethrow_exception(t->failure);
    for (const auto& t : job.parts)
      if (t->failure) std::rethrow_exception(t->failure);
    const RunPool::Lease run(*g.runs);
    std::vector<AlignedBytes> beside;
    arrange(*run, job, beside);
    using Clock = std::chrono::steady_clock;
    const bool measured = is_measured(g);
    const auto start = measured ? Clock::now() : Clock::time_point();
    g.executor->run(*run, run->in, run->out, {std::move(job.stop), &g.stopping, "dispatch"});
    if (measured) {
      const std::chrono::duration<float, std::micro> took = Clock::now() - start;
      g.last_run_us.store(took.count(), std::memory_order_relaxed);
    }
    keep_states(*run, job);
    for (const auto& t : job.outputs) t->failure = nullptr;
    for (const auto& t : job.parts) t->failure = nullptr;
  } catch (...) {
    const std::exception_ptr failure = current_failure(job);
    for (const auto& t : job.outputs) set_failure(job, *t, failure);
  }
}

std::exception_ptr call(Job& job) {
  try {
    job.call();
    return nullptr;
  } catch (...) { return current_failure(job); }
}

}  // namespace

bool is_light(const Job& job) {
  constexpr std::size_t max_bytes = 1 << 16;
  switch (job.kind) {
    case Job::Kind::dispatch: return job.graph->last_run_us.load() <= max_light_us;
    case Job::Kind::write: return true;  // the values have been copied
    case Job::Kind::read: return byte_length(job.inputs.front()->descriptor) <= max_bytes;
    case Job::Kind::call: return job.light;
  }
  return false;
}

std::exception_ptr run_job(Job& job) noexcept {
  switch (job.kind) {
    case Job::Kind::dispatch: dispatch(job); break;
    case Job::Kind::write: {
      TensorState& t = *job.outputs.front();
      std::swap(t.memory, job.staged);
      t.failure = nullptr;
      break;
    }
    case Job::Kind::read: {
      const TensorState& t = *job.inputs.front();
      if (t.failure) *job.failure = t.failure;
      else std::memcpy(job.target, t.values(), byte_length(t.descriptor));
      break;
    }
    case Job::Kind::call: return call(job);
  }
  return nullptr;
}

}  // namespace webnn::inline v0_1
