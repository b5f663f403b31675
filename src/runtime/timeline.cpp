#include "src/runtime/timeline.h"

#include <algorithm>
#include <condition_variable>

#include "src/runtime/run_job.h"

namespace webnn {

void Job::clear() {
  graph.reset();
  inputs.clear();
  outputs.clear();
  staged.clear();
  target = nullptr;
  failure = nullptr;
  call = nullptr;
}

struct Timeline::Shared {
  std::mutex mutex{};
  std::condition_variable changed{};
  std::vector<std::unique_ptr<Job>> queue{};  // a ring of power-of-two size
  std::vector<std::unique_ptr<Job>> free{};
  Ticket pushed = 0, done = 0;
  bool running = false, stop = false;

  std::unique_ptr<Job>& slot(Ticket t) { return queue[t & (queue.size() - 1)]; }
};

Timeline::Timeline() : shared_(std::make_shared<Shared>()) {}

Timeline::~Timeline() {
  Shared& s = *shared_;
  const bool inside = thread_.get_id() == std::this_thread::get_id();
  {
    std::unique_lock lock(s.mutex);
    while (!inside && s.done != s.pushed) {
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
  if (s.free.empty()) return std::make_unique<Job>();
  auto job = std::move(s.free.back());
  s.free.pop_back();
  return job;
}

Timeline::Ticket Timeline::push(std::unique_ptr<Job> job, bool will_wait) {
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  if (s.pushed - s.done + 1 >= s.queue.size()) {
    std::vector<std::unique_ptr<Job>> larger(std::max<std::size_t>(8, 2 * s.queue.size()));
    for (Ticket t = s.done; t != s.pushed; ++t)
      larger[t & (larger.size() - 1)] = std::move(s.slot(t));
    s.queue = std::move(larger);
    s.free.reserve(s.queue.size() + 1);
  }
  s.slot(s.pushed) = std::move(job);
  const Ticket ticket = ++s.pushed;
  if (!will_wait && !thread_.joinable()) thread_ = std::thread(&Timeline::serve, shared_);
  lock.unlock();
  if (!will_wait) s.changed.notify_all();
  return ticket;
}

void Timeline::run_front(Shared& s, std::unique_lock<std::mutex>& lock) {
  std::unique_ptr<Job> job = std::move(s.slot(s.done));
  s.running = true;
  lock.unlock();
  run_job(*job);
  job->clear();
  lock.lock();
  s.running = false;
  ++s.done;
  if (s.free.size() < s.free.capacity()) s.free.push_back(std::move(job));
  s.changed.notify_all();
}

void Timeline::wait(Ticket ticket) {
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  while (s.done < ticket) {
    if (!s.running) run_front(s, lock);
    else s.changed.wait(lock);
  }
}

void Timeline::serve(std::shared_ptr<Shared> shared) {
  Shared& s = *shared;
  std::unique_lock lock(s.mutex);
  for (;;) {
    if (!s.running && s.done != s.pushed) run_front(s, lock);
    else if (s.stop) return;
    else s.changed.wait(lock);
  }
}

}  // namespace webnn
