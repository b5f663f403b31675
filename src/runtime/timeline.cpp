#include "src/runtime/timeline.h"

#include <algorithm>
#include <condition_variable>
#include <system_error>
#include <utility>

#include "src/runtime/run_job.h"
#include "src/runtime/tensor.h"
#include "webnn/error.h"

namespace webnn {

void Job::clear() {
  constexpr std::size_t kept = 1 << 20;  // bytes that a job may hold between its uses
  graph.reset();
  inputs.clear();
  outputs.clear();
  if (staged && staged->size > kept) staged.reset();
  target = nullptr;
  failure = nullptr;
  call = nullptr;
  light = false;
  after = nullptr;
}

struct Timeline::Shared {
  std::mutex mutex{};
  std::condition_variable changed{};
  std::vector<std::unique_ptr<Job>> queue{};  // a ring of power-of-two size
  std::vector<std::unique_ptr<Job>> free{};
  Ticket pushed = 0, done = 0;
  bool running = false, stop = false;
  std::thread::id calling_back{};  // who is in a job's `after`, and may run what comes next

  std::unique_ptr<Job>& slot(Ticket t) { return queue[t & (queue.size() - 1)]; }
  bool can_run() const { return !running || calling_back == std::this_thread::get_id(); }
};

Timeline::Timeline() : shared_(std::make_shared<Shared>()) {}

Timeline::~Timeline() {
  Shared& s = *shared_;
  const bool inside = thread_.get_id() == std::this_thread::get_id();
  {
    std::unique_lock lock(s.mutex);
    while (!inside && (s.done != s.pushed || s.running)) {
      if (!s.running) run_front(s, lock);
      else s.changed.wait(lock);
    }
    s.stop = true;
  }
  s.changed.notify_all();
  if (inside) thread_.detach();
  else if (thread_.joinable()) thread_.join();
}

std::unique_ptr<Job> Timeline::take() {
  Shared& s = *shared_;
  const std::lock_guard lock(s.mutex);
  if (s.free.empty()) {
    constexpr std::size_t usual = 16;  // tensors: a job that has served for less grows only beyond
    auto job = std::make_unique<Job>();
    job->inputs.reserve(usual);
    job->outputs.reserve(usual);
    return job;
  }
  auto job = std::move(s.free.back());
  s.free.pop_back();
  return job;
}

Timeline::Ticket Timeline::push(std::unique_ptr<Job> job, bool will_wait) {
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  if (s.pushed - s.done + 1 >= s.queue.size()) {
    std::vector<std::unique_ptr<Job>> larger(std::max<std::size_t>(8, 2 * s.queue.size()));
    s.free.reserve(larger.size() + 1);
    for (Ticket t = s.done; t != s.pushed; ++t)
      larger[t & (larger.size() - 1)] = std::move(s.slot(t));
    s.queue = std::move(larger);
  }
  if (!will_wait && !thread_.joinable()) try {
      thread_ = std::thread(&Timeline::serve, shared_);
    } catch (const std::system_error& e) {
      raise({format("cannot start a thread: {}", {Arg(e.what())}), ErrorName::OperationError},
            "MLContext");
    }
  s.slot(s.pushed) = std::move(job);
  const Ticket ticket = ++s.pushed;
  lock.unlock();
  if (!will_wait) s.changed.notify_all();
  return ticket;
}

void Timeline::run_front(Shared& s, std::unique_lock<std::mutex>& lock) {
  std::unique_ptr<Job> job = std::move(s.slot(s.done));
  const bool outer = std::exchange(s.running, true);
  const std::thread::id calling_back = std::exchange(s.calling_back, {});
  lock.unlock();
  run_job(*job);
  lock.lock();
  ++s.done;
  s.calling_back = job->after ? std::this_thread::get_id() : std::thread::id();
  s.changed.notify_all();
  lock.unlock();
  try {
    if (job->after) job->after();
  } catch (...) {  // thrown by the caller's own callback: there is nobody to tell
  }
  job->clear();
  lock.lock();
  s.running = outer;
  s.calling_back = calling_back;
  if (s.free.size() < s.free.capacity()) s.free.push_back(std::move(job));
  s.changed.notify_all();
}

void Timeline::wait(Ticket ticket) {
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  while (s.done < ticket) {
    if (s.can_run()) run_front(s, lock);
    else s.changed.wait(lock);
  }
}

void Timeline::run_if_light(Ticket ticket) {
  constexpr Ticket most = 8;
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  if (s.running || ticket > s.done + most) return;
  for (Ticket t = s.done; t < ticket; ++t)
    if (!is_light(*s.slot(t))) return;
  while (s.done < ticket && !s.running) run_front(s, lock);
}

bool Timeline::begin_if_idle() {
  Shared& s = *shared_;
  const std::lock_guard lock(s.mutex);
  if (s.running || s.done != s.pushed) return false;
  return s.running = true;
}

void Timeline::end() {
  Shared& s = *shared_;
  const std::lock_guard lock(s.mutex);
  s.running = false;
  s.changed.notify_all();
}

void Timeline::serve(std::shared_ptr<Shared> shared) {
  Shared& s = *shared;
  std::unique_lock lock(s.mutex);
  for (;;) {
    if (!s.running && s.done != s.pushed) run_front(s, lock);
    else if (s.stop && !s.running) return;
    else s.changed.wait(lock);
  }
}

}  // namespace webnn
