#include "src/runtime/run_job.h"

#include <chrono>
#include <cstring>
#include <new>

#include "src/runtime/graph_state.h"
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

/// The memory of the tensors. A state that cannot be updated in place is written beside its tensor.
void arrange(Run& run, const Job& job, std::vector<AlignedBytes>& beside) {
  const GraphState& g = *job.graph;
  for (std::size_t i = 0; i < job.outputs.size(); ++i) run.out[i] = nullptr;
  for (const StateUpdate& u : g.updates) {
    if (job.inputs[u.input].get() != job.outputs[u.output].get()) continue;
    TensorState& t = *job.outputs[u.output];
    if (u.in_place) run.out[u.output] = t.change();
    else run.out[u.output] = beside.emplace_back(aligned_bytes(t.memory->size)).get();
  }
  for (std::size_t i = 0; i < job.outputs.size(); ++i)
    if (!run.out[i]) run.out[i] = job.outputs[i]->overwrite();
  for (std::size_t i = 0; i < job.inputs.size(); ++i)  // none for an input that is not read
    run.in[i] = job.inputs[i] ? job.inputs[i]->values() : nullptr;
}

/// Copies what was written beside its tensor.
void keep_states(const Run& run, const Job& job) {
  for (const StateUpdate& u : job.graph->updates) {
    TensorState& t = *job.outputs[u.output];
    if (job.inputs[u.input].get() == &t && !u.in_place)
      std::memcpy(t.overwrite(), run.out[u.output], t.memory->size);
  }
}

void dispatch(Job& job) {
  GraphState& g = *job.graph;
  try {
    for (const auto& t : job.inputs)
      if (t && t->failure) std::rethrow_exception(t->failure);
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
  } catch (...) {
    const std::exception_ptr failure = current_failure(job);
    for (const auto& t : job.outputs) t->failure = failure;
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
