#include "src/runtime/executor.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "src/graph/callback_scope.h"
#include "src/graph/failure.h"
#include "src/kernels/common/sizes.h"
#include "src/runtime/control.h"
#include "src/runtime/fill.h"
#include "src/runtime/graph_state.h"
#include "src/runtime/packed_weights.h"
#include "src/runtime/shares.h"
#include "src/runtime/team.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t page = 4096;

// Not a multiple of a page: the scratch of two workers must not compete for the same cache sets.
std::size_t scratch_of_worker(const Plan& plan) {
  return plan.scratch ? round_up(plan.scratch + 64, page) + 1088 : 0;
}

bool is_outside(const Location& x) {
  return x.kind == Location::Kind::input || x.kind == Location::Kind::output;
}

}  // namespace

std::size_t Executor::scratch_bytes(const Plan& plan, const ThreadPool& pool) {
  return round_up(plan.shared, page) +
         scratch_of_worker(plan) * static_cast<std::size_t>(std::max(1, pool.threads()));
}

RunBytes Executor::run_bytes(const Plan& plan, const ThreadPool& pool) {
  return {round_up(plan.packing.bytes, page), scratch_bytes(plan, pool)};
}

Executor::Executor(const Graph& graph, const Plan& plan, ThreadPool& pool, ExecutorOptions options)
    : graph_(graph),
      plan_(plan),
      pool_(pool),
      options_(std::move(options)),
      names_(options_.trace ? step_names(plan) : std::vector<StepNames>()),
      team_(dynamic_cast<Team*>(&pool)),
      workers_(std::max(1, pool.threads())),
      scratch_each_(scratch_of_worker(plan)),
      run_bytes_(run_bytes(plan, pool)) {
  bool exclusive = false;
  for (const Step& step : plan.steps) {
    parallel_ |= step.choice.kernel->tiles > 1 && workers_ > 1;
    if (step.control)
      for (const ControlGraphs::Part& part : step.control->parts)
        parallel_ |= part.graph->executor->parallel_;
    exclusive |= step.choice.kernel->exclusive;
  }
  if (exclusive) owners_ = std::make_unique<Owner[]>(plan.steps.size());
  find_patches();
}

void Executor::find_patches() {
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const Step& step = plan_.steps[i];
    const auto add = [&](const Location& x, std::size_t slot, bool is_argument) {
      if (is_outside(x))
        patches_.push_back(
            {i, slot, x.index, x.offset, x.kind == Location::Kind::input, is_argument});
    };
    for (std::size_t k = 0; k < step.inputs.size(); ++k) add(step.inputs[k], k, true);
    for (std::size_t k = 0; k < step.outputs.size(); ++k) add(step.outputs[k], k, false);
  }
}

Run::Run(const Executor& e, bool own_memory)
    : in(e.graph_.inputs().size() + e.plan_.reads_sizes),
      out(e.graph_.outputs().size()),
      executor_(e),
      work_(e.plan_.steps.size()),
      discarded_(out.size()),
      ends_(work_.size()) {
  ranges.reserve(in.size() + out.size());
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const Step& step = e.plan_.steps[i];
    Work& w = work_[i];
    w.kernel = &*step.choice.kernel;
    const std::vector<bool> read = inputs_read(*w.kernel, step.inputs.size());
    for (std::size_t k = 0; k < step.inputs.size(); ++k)
      w.inputs.push_back(read[k] ? resolve(step.inputs[k]) : nullptr);
    for (const auto& block : step.choice.blocks) w.weights.push_back(block->bytes.data());
    w.outputs.resize(step.outputs.size());
    w.pitch = step.pitch;
    w.shares = share_count(*w.kernel, e.workers_);
    w.next = std::make_unique<Counter[]>(static_cast<std::size_t>(w.shares));
    w.chunk = chunk_size(*w.kernel, e.workers_);
    if (step.control) w.control = std::make_shared<ControlRun>(*step.control);
  }
  if (!own_memory) return;
  own_ = aligned_bytes(e.run_bytes_.total(), e.memory());
  bind(own_.get());
}

void Run::bind(std::byte* memory) {
  if (memory == memory_) return;
  memory_ = memory;
  shared_ = memory + executor_.run_bytes_.arena;
  scratch_ = shared_ + round_up(executor_.plan_.shared, page);
  const auto place = [&](const Location& x, auto& at) {
    if (x.kind == Location::Kind::arena) at = memory + x.offset;
  };
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const Step& step = executor_.plan_.steps[i];
    for (std::size_t k = 0; k < step.inputs.size(); ++k) place(step.inputs[k], work_[i].inputs[k]);
    for (std::size_t k = 0; k < step.outputs.size(); ++k)
      place(step.outputs[k], work_[i].outputs[k]);
  }
}

std::byte* Run::resolve(const Location& location) const {
  switch (location.kind) {
    case Location::Kind::arena: return memory_ ? memory_ + location.offset : nullptr;
    case Location::Kind::constant: {  // kernels read it only
      const auto id = static_cast<std::uint32_t>(location.index);
      return const_cast<std::byte*>(executor_.graph_.operand(id).constant()->bytes().data()) +
             location.offset;
    }
    default: return nullptr;
  }
}

std::byte* Executor::output_at(Run& run, std::size_t i, std::span<std::byte* const> outputs) const {
  if (outputs[i]) return outputs[i];
  AlignedBytes& discarded = run.discarded_[i];
  if (!discarded)
    discarded =
        aligned_bytes(byte_length(graph_.outputs()[i].operand.descriptor()), options_.memory);
  return discarded.get();
}

void Executor::patch(Run& run, std::span<const std::byte* const> inputs,
                     std::span<std::byte* const> outputs) const {
  for (const Patch& p : patches_) {
    const std::byte* at =
        p.is_input ? inputs[p.index] + p.offset : output_at(run, p.index, outputs) + p.offset;
    Work& w = run.work_[p.work];
    if (p.is_argument) w.inputs[p.slot] = at;
    else w.outputs[p.slot] = const_cast<std::byte*>(at);  // an output of the graph
  }
}

void Executor::fill_run(Run& run, std::span<const std::byte* const> inputs,
                        std::span<std::byte* const> outputs) const {
  fill({run.memory_, run_bytes_.total()});
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i] && std::find(inputs.begin(), inputs.end(), outputs[i]) == inputs.end())
      fill({outputs[i], byte_length(graph_.outputs()[i].operand.descriptor())});
}

void Executor::fill_results(const Run& run, std::size_t step) const {
  const Work& w = run.work_[step];
  const Chain chain = plan_.steps[step].choice.chain;
  const std::vector<MLOperand> operands = inputs_of(chain);
  const std::span<const MLOperand> results = chain.back().outputs();
  for (std::size_t k = 0; k < w.outputs.size(); ++k) {
    const MLOperandDescriptor& y = results[k].descriptor();
    const auto bits = static_cast<std::size_t>(bits_of(y.dataType));
    // Rows of the first result that lie apart are parts of a larger one.
    const bool apart = w.pitch > 0 && k == 0;
    const std::size_t bytes = byte_length(y), row = apart ? w.kernel->row * bits / 8 : bytes,
                      pitch = apart ? w.pitch * bits / 8 : bytes,
                      all = (bytes / row - 1) * pitch + row;
    bool shared = false;
    for (std::size_t i = 0; i < operands.size(); ++i)
      shared |= w.inputs[i] && w.inputs[i] < w.outputs[k] + all &&
                w.outputs[k] < w.inputs[i] + byte_length(operands[i].descriptor());
    for (std::size_t at = 0; at < all && !shared; at += pitch) fill({w.outputs[k] + at, row});
  }
}

/// Whether the step is still to be done by this run, which then has the kernel for itself.
bool Executor::enter(const Run& run, std::size_t step) const {
  const Work& w = run.work_[step];
  if (!w.kernel->exclusive) return true;
  std::atomic<const Run*>& owner = owners_[step].value;
  for (;;) {
    if (w.finished()) return false;
    const Run* now = owner.load();
    if (now == &run) return true;
    if (now) {
      owner.wait(now);
    } else if (owner.compare_exchange_strong(now, &run)) {
      if (!w.finished()) return true;
      leave(step);  // another worker of this run finished it just before
      return false;
    }
  }
}
void Executor::leave(std::size_t step) const {
  owners_[step].value.store(nullptr);
  owners_[step].value.notify_all();
}

void Executor::run_tiles(Run& run, std::size_t step, Range range, int worker) const {
  try {
    if (run.failed_.load(std::memory_order_relaxed) || is_stopped(run)) return;
    Work& w = run.work_[step];
    const double begin = run.traced_ ? now_us() : 0;
    w.kernel->run(range, {w.inputs, w.outputs, run.shared_, w.pitch, w.weights},
                  run.scratch_ + scratch_each_ * static_cast<std::size_t>(worker));
    if (run.traced_) trace(run, step, range, worker, begin);
  } catch (...) { note_failure(run, step); }
}

void Executor::trace(const Run& run, std::size_t step, Range tiles, int worker,
                     double begin_us) const {
  const double end_us = now_us();
  if (run.trace_) run.trace_->record(first_traced_ + step, tiles, begin_us, end_us);
  if (!options_.trace) return;
  const CallbackScope scope(this, "trace");
  options_.trace(names_[step].event(step, tiles, worker, begin_us, end_us));
}

bool Executor::is_stopped(Run& run) const {
  if (!run.stop_->met()) return false;
  if (!run.failed_.exchange(true)) run.stopped_ = true;
  return true;
}

/// The exception that is handled.
void Executor::note_failure(Run& run, std::size_t step) const {
  if (run.failed_.exchange(true)) return;
  run.failure_ = std::current_exception();
  run.failed_step_ = step;
}

bool Executor::work_on(Run& run, std::size_t step, int worker, bool may_leave) const {
  if (run.work_[step].control) return work_on_control(run, step, worker, may_leave);
  if (!enter(run, step)) return true;
  for (int round = 0; round < run.work_[step].kernel->rounds; ++round)
    work_on(run, step, round, worker);
  return true;
}

void Executor::work_on_all(Run& run, int worker) const {
  for (std::size_t i = 0; i < run.work_.size(); ++i) {
    if (worker > 0 && pool_.should_leave(worker)) return;
    if (!work_on(run, i, worker)) return;
  }
}

// Each worker first takes its own share, the same part of every tensor, so that it finds in its
// cache what it wrote before; then tiles that other workers have not begun.
void Executor::work_on(Run& run, std::size_t step, int round, int worker) const {
  Work& w = run.work_[step];
  const int tiles = w.kernel->tiles;
  const std::int64_t all = std::int64_t{tiles} * (round + 1);
  const int own = share_begin(w.shares, workers_, worker);
  const std::int64_t all_shares = std::int64_t{w.shares} * (round + 1);
  for (int i = 0; i < w.shares; ++i) {
    if (i > 0 && w.exhausted.value.load(std::memory_order_relaxed) >= all_shares) break;
    const int owner = (own + i) % w.shares, base = share_begin(tiles, w.shares, owner);
    const int count = share_begin(tiles, w.shares, owner + 1) - base;
    const std::int64_t begun = std::int64_t{count} * round;
    std::atomic<std::int64_t>& next = w.next[static_cast<std::size_t>(owner)].value;
    std::int64_t at = next.load(std::memory_order_relaxed);
    while (at < begun + count) {
      const int begin = static_cast<int>(at - begun),
                end = begin + std::min(w.chunk, count - begin);
      if (!next.compare_exchange_weak(at, begun + end, std::memory_order_relaxed)) continue;
      if (end == count) w.exhausted.value.fetch_add(1, std::memory_order_relaxed);
      run_tiles(run, step, {base + begin, base + end, round}, worker);
      const std::int64_t done = end - begin;
      if (w.done.value.fetch_add(done, std::memory_order_acq_rel) + done == all) {
        if (run.timing_) run.ends_[step] = now_us();
        if (w.kernel->exclusive && all == w.all()) leave(step);
        w.done.value.notify_all();
      }
      at = next.load(std::memory_order_relaxed);
    }
  }
  await(w.done.value, [&](std::int64_t done) { return done >= all; });
}

/// No tile is begun.
void Executor::restart(Run& run) const {
  for (Work& w : run.work_) {
    for (int t = 0; t < w.shares; ++t)
      w.next[static_cast<std::size_t>(t)].value.store(0, std::memory_order_relaxed);
    w.exhausted.value.store(0, std::memory_order_relaxed);
    w.done.value.store(0, std::memory_order_relaxed);
  }
}

void Executor::run_parallel(Run& run) const {
  restart(run);
  pool_.run(
      [](void* self, int worker) {
        Run& r = *static_cast<Run*>(self);
        const Executor& e = r.executor_;
        if (worker < 0 || worker >= e.workers_) return;  // a pool that grew: no scratch for it
        e.work_on_all(r, worker);
      },
      &run);
  for (std::size_t i = 0; !run.work_.back().finished() && i < run.work_.size(); ++i)
    work_on(run, i, 0);  // a pool whose workers left work
}

void Executor::run_alone(Run& run) const {
  for (std::size_t i = 0; i < run.work_.size(); ++i) {
    const Candidate& k = *run.work_[i].kernel;
    if (run.filling_) fill_results(run, i);
    if (k.exclusive) {
      run.work_[i].done.value.store(0, std::memory_order_relaxed);
      enter(run, i);
    }
    if (run.work_[i].control) lead(run, i, 0, false);
    else
      for (int round = 0; round < k.rounds; ++round) run_tiles(run, i, {0, k.tiles, round}, 0);
    if (k.exclusive) leave(i);
    if (run.timing_) run.ends_[i] = now_us();
  }
}

void Executor::raise_failure(Run& run) const {
  if (run.stopped_) {
    if (run.stop_->token.stop_requested())
      raise({"it was canceled", ErrorName::AbortError}, run.stop_->method);
    raise({"the context is destroyed", ErrorName::InvalidStateError}, run.stop_->method);
  }
  const Choice& c = plan_.steps[run.failed_step_].choice;
  std::string reason = "unknown failure";
  try {
    std::rethrow_exception(std::exchange(run.failure_, nullptr));
  } catch (const std::exception& e) { reason = e.what(); } catch (...) {
  }
  raise({c.backend + " " + c.kernel->name + " failed: " + reason, ErrorName::OperationError},
        c.chain.front().name(), c.chain.front().label());
}

void Executor::begin(Run& run, std::span<const std::byte* const> inputs,
                     std::span<std::byte* const> outputs, const StopCondition& stop) const {
  patch(run, inputs, outputs);
  run.failed_.store(false, std::memory_order_relaxed);
  run.stopped_ = false;
  run.stop_ = &stop;
  run.filling_ = fills_memory();
  if (run.filling_) fill_run(run, inputs, outputs);
  run.trace_ = Trace::active();
  if (run.trace_) std::call_once(traced_, [&] { first_traced_ = run.trace_->add(plan_); });
  run.traced_ = run.trace_ || options_.trace;
}

void Executor::run(Run& run, std::span<const std::byte* const> inputs,
                   std::span<std::byte* const> outputs, const StopCondition& stop) const {
  begin(run, inputs, outputs, stop);
  if (parallel_ && team_ && run.alone) {
    const Team::Caller caller(*team_);
    run_alone(run);
  } else if (parallel_) {
    run_parallel(run);
  } else {
    run_alone(run);
  }
  if (run.failed_.load()) raise_failure(run);
  copy_outputs(run, inputs, outputs);
}

void Executor::copy_outputs(Run& run, std::span<const std::byte* const> inputs,
                            std::span<std::byte* const> outputs) const {
  for (const CopyOut& c : plan_.copies) {
    const std::byte* from = c.from.kind == Location::Kind::input
                                ? inputs[c.from.index] + c.from.offset
                            : c.from.kind == Location::Kind::output
                                ? output_at(run, c.from.index, outputs) + c.from.offset
                                : run.resolve(c.from);
    if (outputs[c.output]) std::memcpy(outputs[c.output], from, c.bytes);
  }
}

std::vector<double> Executor::timed_run(Run& run, std::span<const std::byte* const> inputs,
                                        std::span<std::byte* const> outputs,
                                        const StopCondition& stop) const {
  struct Timing {
    bool& on;
    explicit Timing(bool& timing) : on(timing) { on = true; }
    ~Timing() { on = false; }
  };
  double before = now_us();
  {
    const Timing timing(run.timing_);
    this->run(run, inputs, outputs, stop);
  }
  std::vector<double> us;
  for (const double end : run.ends_) us.push_back(end - std::exchange(before, end));
  return us;
}

std::vector<double> Executor::profile(Run& run, std::span<const std::byte* const> inputs,
                                      std::span<std::byte* const> outputs, int runs,
                                      const StopCondition& stop) const {
  constexpr int warm_up = 3;
  std::vector<std::vector<double>> samples(run.work_.size());
  for (int r = 0; r < runs + warm_up; ++r) {
    const std::vector<double> us = timed_run(run, inputs, outputs, stop);
    for (std::size_t i = 0; i < us.size() && r >= warm_up; ++i) samples[i].push_back(us[i]);
  }
  std::vector<double> medians;
  for (auto& s : samples) {
    std::nth_element(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(s.size() / 2), s.end());
    medians.push_back(s[s.size() / 2]);
  }
  return medians;
}

}  // namespace webnn::inline v0_1
