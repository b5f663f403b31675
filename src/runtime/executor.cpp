#include "src/runtime/executor.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "src/graph/failure.h"
#include "src/kernels/common/sizes.h"
#include "src/runtime/team.h"
#include "webnn/error.h"

namespace webnn {
namespace {

constexpr std::size_t page = 4096;

double now_us() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}
/// The first tile of a share.
int share_begin(int tiles, int shares, int share) {
  return static_cast<int>(std::int64_t{tiles} * share / shares);
}

// Not a multiple of a page: the scratch of two workers must not compete for the same cache sets.
std::size_t scratch_of_worker(const Plan& plan) {
  return plan.scratch ? round_up(plan.scratch + 64, page) + 1088 : 0;
}

}  // namespace

std::size_t Executor::scratch_bytes(const Plan& plan, const ThreadPool& pool) {
  return round_up(plan.shared, page) +
         scratch_of_worker(plan) * static_cast<std::size_t>(std::max(1, pool.threads()));
}

Executor::Executor(const Graph& graph, const Plan& plan, ThreadPool& pool)
    : graph_(graph),
      plan_(plan),
      pool_(pool),
      workers_(std::max(1, pool.threads())),
      work_(plan.steps.size()),
      discarded_(graph.outputs().size()),
      ends_(plan.steps.size()) {
  scratch_each_ = scratch_of_worker(plan);
  const std::size_t packed = round_up(plan.packing.bytes, page);
  const std::size_t shared = round_up(plan.shared, page);
  bytes_ = packed + shared + scratch_each_ * static_cast<std::size_t>(workers_);
  arena_ = aligned_bytes(bytes_);
  shared_ = arena_.get() + packed;
  scratch_ = shared_ + shared;
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const Step& step = plan.steps[i];
    Work& w = work_[i];
    w.kernel = &step.choice.kernel;
    w.inputs.resize(step.inputs.size());
    w.outputs.resize(step.outputs.size());
    const std::vector<int>& unread = w.kernel->packed_inputs;
    for (std::size_t k = 0; k < step.inputs.size(); ++k)
      if (std::find(unread.begin(), unread.end(), static_cast<int>(k)) == unread.end())
        bind(i, step.inputs[k], k, true);
    for (std::size_t k = 0; k < step.outputs.size(); ++k) bind(i, step.outputs[k], k, false);
    w.shares = std::min(workers_, w.kernel->tiles);
    w.next = std::make_unique<Counter[]>(static_cast<std::size_t>(w.shares));
    const int mine = (w.kernel->tiles + workers_ - 1) / workers_;
    w.chunk = std::max({1, (mine + 1) / 2, std::min(w.kernel->grain, mine)});
    parallel_ |= w.kernel->tiles > 1 && workers_ > 1;
  }
}

std::byte* Executor::resolve(const Location& location) const {
  switch (location.kind) {
    case Location::Kind::arena: return arena_.get() + location.offset;
    case Location::Kind::constant: {  // kernels read it only
      const auto id = static_cast<std::uint32_t>(location.index);
      return const_cast<std::byte*>(graph_.operand(id).constant()->bytes().data()) +
             location.offset;
    }
    default: return nullptr;
  }
}

void Executor::bind(std::size_t work, const Location& location, std::size_t slot,
                    bool is_argument) {
  const bool input = location.kind == Location::Kind::input;
  if (input || location.kind == Location::Kind::output)
    patches_.push_back({work, slot, location.index, location.offset, input, is_argument});
  else if (is_argument) work_[work].inputs[slot] = resolve(location);
  else work_[work].outputs[slot] = resolve(location);
}

std::byte* Executor::output_at(std::size_t i, std::span<std::byte* const> outputs) {
  if (outputs[i]) return outputs[i];
  if (!discarded_[i])
    discarded_[i] = aligned_bytes(byte_length(graph_.outputs()[i].operand.descriptor()));
  return discarded_[i].get();
}

void Executor::patch(std::span<const std::byte* const> inputs,
                     std::span<std::byte* const> outputs) {
  for (const Patch& p : patches_) {
    const std::byte* at =
        p.is_input ? inputs[p.index] + p.offset : output_at(p.index, outputs) + p.offset;
    Work& w = work_[p.work];
    if (p.is_argument) w.inputs[p.slot] = at;
    else w.outputs[p.slot] = const_cast<std::byte*>(at);  // an output of the graph
  }
}

void Executor::run_tiles(Work& w, Range range, int worker) {
  try {
    if (!failed_.load(std::memory_order_relaxed))
      w.kernel->run(range, {w.inputs, w.outputs, shared_}, scratch(worker));
  } catch (...) {
    if (!failed_.exchange(true)) {
      failure_ = std::current_exception();
      failed_step_ = static_cast<std::size_t>(&w - work_.data());
    }
  }
}

void Executor::work_on(std::size_t step, int worker) {
  for (int round = 0; round < work_[step].kernel->rounds; ++round) work_on(step, round, worker);
}

// Each worker first takes its own share, the same part of every tensor, so that it finds in its
// cache what it wrote before; then tiles that other workers have not begun.
void Executor::work_on(std::size_t step, int round, int worker) {
  Work& w = work_[step];
  const int tiles = w.kernel->tiles;
  const std::int64_t all = std::int64_t{tiles} * (round + 1);
  const int own = share_begin(w.shares, workers_, worker);
  for (int i = 0; i < w.shares; ++i) {
    const int owner = (own + i) % w.shares, base = share_begin(tiles, w.shares, owner);
    const int count = share_begin(tiles, w.shares, owner + 1) - base;
    const std::int64_t begun = std::int64_t{count} * round;
    std::atomic<std::int64_t>& next = w.next[static_cast<std::size_t>(owner)].value;
    std::int64_t at = next.load(std::memory_order_relaxed);
    while (at < begun + count) {
      const int begin = static_cast<int>(at - begun),
                end = begin + std::min(w.chunk, count - begin);
      if (!next.compare_exchange_weak(at, begun + end, std::memory_order_relaxed)) continue;
      run_tiles(w, {base + begin, base + end, round}, worker);
      const std::int64_t done = end - begin;
      if (w.done.value.fetch_add(done, std::memory_order_acq_rel) + done == all) {
        if (timing_) ends_[step] = now_us();
        w.done.value.notify_all();
      }
      at = next.load(std::memory_order_relaxed);
    }
  }
  await(w.done.value, [&](std::int64_t done) { return done >= all; });
}

void Executor::run(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs) {
  patch(inputs, outputs);
  failed_.store(false, std::memory_order_relaxed);
  if (parallel_) {
    for (Work& w : work_) {
      for (int t = 0; t < w.shares; ++t)
        w.next[static_cast<std::size_t>(t)].value.store(0, std::memory_order_relaxed);
      w.done.value.store(0, std::memory_order_relaxed);
    }
    pool_.run(
        [](void* self, int worker) {
          Executor& e = *static_cast<Executor*>(self);
          if (worker < 0 || worker >= e.workers_) return;  // a pool that grew: no scratch for it
          for (std::size_t i = 0; i < e.work_.size(); ++i) e.work_on(i, worker);
        },
        this);
    const Work& last = work_.back();  // a pool that called no worker
    for (std::size_t i = 0; last.done.value != last.all() && i < work_.size(); ++i) work_on(i, 0);
  } else {
    for (std::size_t i = 0; i < work_.size(); ++i) {
      for (int round = 0; round < work_[i].kernel->rounds; ++round)
        run_tiles(work_[i], {0, work_[i].kernel->tiles, round}, 0);
      if (timing_) ends_[i] = now_us();
    }
  }
  if (failed_.load()) {
    const Choice& c = plan_.steps[failed_step_].choice;
    std::string reason = "unknown failure";
    try {
      std::rethrow_exception(std::exchange(failure_, nullptr));
    } catch (const std::exception& e) { reason = e.what(); } catch (...) {
    }
    raise({c.backend + " " + c.kernel.name + " failed: " + reason, ErrorName::OperationError},
          c.chain.front().name(), c.chain.front().label());
  }
  for (const CopyOut& c : plan_.copies) {
    const std::byte* from =
        c.from.kind == Location::Kind::input    ? inputs[c.from.index] + c.from.offset
        : c.from.kind == Location::Kind::output ? output_at(c.from.index, outputs) + c.from.offset
                                                : resolve(c.from);
    if (outputs[c.output]) std::memcpy(outputs[c.output], from, c.bytes);
  }
}

std::vector<double> Executor::profile(std::span<const std::byte* const> inputs,
                                      std::span<std::byte* const> outputs, int runs) {
  std::vector<std::vector<double>> samples(work_.size());
  for (int r = 0; r < runs + 3; ++r) {
    timing_ = true;
    double before = now_us();
    run(inputs, outputs);
    timing_ = false;
    for (std::size_t i = 0; i < work_.size() && r >= 3; ++i) {
      samples[i].push_back(ends_[i] - before);
      before = ends_[i];
    }
  }
  std::vector<double> medians;
  for (auto& s : samples) {
    std::nth_element(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(s.size() / 2), s.end());
    medians.push_back(s[s.size() / 2]);
  }
  return medians;
}

}  // namespace webnn
