// Steps that run subgraphs. The worker that comes first leads: it reads conditions, and opens each
// run of a subgraph to the workers of the region, who take part as long as it lasts. No region is
// opened within a region, and the leader waits for nobody but those that have entered.
#include <cstring>
#include <stdexcept>

#include "src/graph/failure.h"
#include "src/runtime/control.h"
#include "src/runtime/graph_state.h"
#include "src/runtime/team.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t condition_offset = 64;

template <class T> T read(const std::byte* from) {
  T v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

}  // namespace

bool Executor::work_on_control(Run& run, std::size_t step, int worker, bool may_leave) const {
  Work& w = run.work_[step];
  std::int64_t begun = 0;
  if (!w.next[0].value.compare_exchange_strong(begun, 1))
    return follow(run, step, worker, may_leave);
  lead(run, step, worker, true);
  if (run.timing_) run.ends_[step] = now_us();
  w.done.value.store(1);
  w.done.value.notify_all();
  w.control->phase.fetch_add(1);
  w.control->phase.notify_all();
  return true;
}

bool Executor::follow(Run& run, std::size_t step, int worker, bool may_leave) const {
  Work& w = run.work_[step];
  ControlRun& c = *w.control;
  std::int64_t seen = -1;
  for (;;) {
    const std::uint32_t phase = c.phase.load();
    if (w.finished()) return true;
    if (may_leave && worker > 0 && pool_.should_leave(worker)) return false;
    if (seen != phase && c.enter()) {
      seen = c.phase.load();
      c.now->executor_.work_on_all(*c.now, worker);
      c.leave();
      continue;
    }
    await(c.phase, [&](std::uint32_t now) { return now != phase; });
  }
}

void Executor::lead(Run& run, std::size_t step, int worker, bool together) const {
  const double begin = run.traced_ ? now_us() : 0;
  try {
    if (run.failed_.load(std::memory_order_relaxed) || is_stopped(run)) return;
    const ControlGraphs& c = run.work_[step].control->graphs;
    if (c.form->kind == operators::ControlForm::Kind::loop) run_loop(run, step, worker, together);
    else run_choice(run, step, worker, together);
    if (run.traced_) trace(run, step, {0, 1, 0}, worker, begin);
  } catch (...) { note_failure(run, step); }
}

void Executor::run_choice(Run& run, std::size_t step, int worker, bool together) const {
  Work& w = run.work_[step];
  ControlRun& c = *w.control;
  std::memset(run.shared_, 0, sizeof(std::int64_t));
  const std::size_t part = read<std::uint8_t>(w.inputs[0]) ? 0 : 1;
  const std::vector<std::size_t>& inputs = c.graphs.parts[part].inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    c.in[part][i] = inputs[i] == 0 ? run.shared_ : w.inputs[inputs[i]];
  for (std::size_t k = 0; k < w.outputs.size(); ++k) c.out[part][k] = w.outputs[k];
  run_subgraph(run, step, part, worker, together);
}

void Executor::run_loop(Run& run, std::size_t step, int worker, bool together) const {
  Work& w = run.work_[step];
  ControlRun& c = *w.control;
  const ControlGraphs& g = c.graphs;
  const std::size_t states = c.states.size();
  const bool has_condition = g.form->subgraphs.front().has_condition();
  const auto trips = read<std::int64_t>(w.inputs[0]);
  bool going = read<std::uint8_t>(w.inputs[1]) != 0;
  for (std::size_t k = 0; k < states; ++k) c.states[k] = w.inputs[2 + k];
  for (std::int64_t n = 0; going && n < trips; ++n) {
    if (is_stopped(run)) return;
    if (n == g.form->max_iterations)
      throw std::runtime_error("it has more than " + std::to_string(n) + " iterations");
    std::memcpy(run.shared_, &n, sizeof n);
    const std::vector<std::size_t>& inputs = g.parts[0].inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::size_t k = inputs[i];
      c.in[0][i] = k == 0 ? run.shared_ : k <= states ? c.states[k - 1] : w.inputs[k + 1];
    }
    for (std::size_t k = 0; k < states; ++k) c.out[0][k] = run.shared_ + g.states[n % 2][k];
    if (has_condition) c.out[0][states] = run.shared_ + condition_offset;
    if (!run_subgraph(run, step, 0, worker, together)) return;
    for (std::size_t k = 0; k < states; ++k) c.states[k] = c.out[0][k];
    if (has_condition) going = read<std::uint8_t>(run.shared_ + condition_offset) != 0;
  }
  for (std::size_t k = 0; k < states; ++k) std::memcpy(w.outputs[k], c.states[k], g.state_bytes[k]);
}

bool Executor::run_subgraph(Run& run, std::size_t step, std::size_t part, int worker,
                            bool together) const {
  ControlRun& c = *run.work_[step].control;
  Run& inner = *c.runs[part];
  const Executor& e = inner.executor_;
  inner.bind(run.shared_ + c.graphs.memory);
  e.begin(inner, c.in[part], c.out[part], *run.stop_);
  if (together && e.parallel_) {
    e.restart(inner);
    c.now = &inner;
    c.open.store(true);
    c.phase.fetch_add(1);
    c.phase.notify_all();
    for (std::size_t i = 0; i < inner.work_.size(); ++i)
      e.work_on(inner, i, worker, /*may_leave=*/false);
    c.open.store(false);
    await(c.inside, [](int inside) { return inside == 0; });
  } else {
    e.run_alone(inner);
  }
  if (!inner.failed_.load()) {
    e.copy_outputs(inner, c.in[part], c.out[part]);
    return true;
  }
  if (!inner.stopped_) e.raise_failure(inner);
  if (!run.failed_.exchange(true)) run.stopped_ = true;
  return false;
}

}  // namespace webnn::inline v0_1
