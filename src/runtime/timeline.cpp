#include "src/runtime/timeline.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <system_error>
#include <utility>

#include "src/graph/failure.h"
#include "src/runtime/fork.h"
#include "src/runtime/graph_state.h"
#include "src/runtime/run_job.h"
#include "src/runtime/tensor.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {
namespace {

// What is kept for the next jobs, so that they need not allocate.
constexpr std::size_t max_free_jobs = 64;
constexpr std::size_t max_staged = std::size_t{1} << 20;      // bytes of one job
constexpr std::size_t max_all_staged = std::size_t{4} << 20;  // the sum over all free jobs
constexpr std::size_t max_tensors = 1024;                     // in each list of a job
constexpr std::size_t max_free_slots = 1024;                  // those that the queue keeps

template <class T> void empty(std::vector<T>& list) {
  list.clear();
  if (list.capacity() > max_tensors) std::vector<T>().swap(list);
}

void print(LogLevel, std::string_view message) {
  std::fprintf(stderr, "webnn: %.*s\n", static_cast<int>(message.size()), message.data());
}

void say_uncaught(const std::exception_ptr& thrown,
                  const std::function<void(LogLevel, std::string_view)>& log) {
  std::string what = "not a std::exception";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) { what = e.what(); } catch (...) {
  }
  log(LogLevel::error, "a callback threw an exception: " + what);
}

/// `after`, which sets `called` when it has returned or thrown.
std::function<void(std::exception_ptr)> noted(std::function<void(std::exception_ptr)> after,
                                              std::shared_ptr<std::atomic<bool>> called) {
  return [after = std::move(after), called = std::move(called)](std::exception_ptr failure) {
    const std::shared_ptr<void> sets(nullptr, [called](void*) {
      *called = true;
      called->notify_all();
    });
    after(std::move(failure));
  };
}

}  // namespace

Job::Job() = default;
Job::~Job() = default;

void Job::clear() {
  graph = {};
  empty(inputs);
  empty(outputs);
  empty(parts);
  joined.clear();
  empty(sorted);
  if (staged && staged->size > max_staged) staged.reset();
  target = nullptr;
  failure = nullptr;
  call = nullptr;
  stop = {};
  sizes = {};
  out_of_memory = nullptr;
  light = false;
}

struct Timeline::Shared {
  /// A thread that waits for a job: on its stack, in the order of the tickets.
  struct Waiter {
    Ticket ticket;
    Waiter* next = nullptr;
    bool listed = false;
    std::atomic<int> woken{0};

    void wake() {
      woken = 1;
      woken.notify_one();
    }
  };

  const std::uint32_t process = process_generation();
  std::mutex mutex{};
  std::condition_variable work{};             // for the timeline's own thread
  std::condition_variable idle{};             // for the destructor
  std::vector<std::unique_ptr<Job>> queue{};  // a ring of power-of-two size
  std::vector<std::unique_ptr<Job>> free{};
  std::size_t staged = 0;  // bytes that the free jobs hold
  Ticket pushed = 0, done = 0;
  Waiter* waiters = nullptr;
  bool running = false, stop = false;
  bool threadless = false;   // the thread could not be started when it was last needed
  std::thread::id runner{};  // which thread is in run_front(), the innermost one
  std::thread::id
      calling_back{};  // which thread is in a job's `after`, and may run what comes next
  std::shared_ptr<Shared> forever{};  // itself, in a child process
  std::function<void(std::exception_ptr)> uncaught{};
  std::function<void(LogLevel, std::string_view)> log{};
  std::once_flag said_threadless{};

  std::unique_ptr<Job>& slot(Ticket t) { return queue[t & (queue.size() - 1)]; }
  bool can_run() const { return !running || calling_back == std::this_thread::get_id(); }

  void add(Waiter& w) {
    Waiter** at = &waiters;
    while (*at && (*at)->ticket <= w.ticket) at = &(*at)->next;
    w.next = *at;
    *at = &w;
    w.listed = true;
  }
  void wake_done() {
    while (waiters && waiters->ticket <= done) {
      Waiter& w = *waiters;
      waiters = w.next;
      w.listed = false;
      w.wake();
    }
  }
  /// Called when a thread stops running the queue, whether it is empty or not.
  void hand_over() {
    if (running) return;
    if (done == pushed) idle.notify_all();
    else if (waiters) waiters->wake();
    else work.notify_one();
  }
  void keep(std::unique_ptr<Job> job) {
    if (free.size() == max_free_jobs) return;
    if (job->staged && staged + job->staged->size > max_all_staged) job->staged.reset();
    if (job->staged) staged += job->staged->size;
    free.push_back(std::move(job));
  }
};

Timeline::Timeline(std::function<void(std::exception_ptr)> uncaught,
                   std::function<void(LogLevel, std::string_view)> log)
    : shared_(std::make_shared<Shared>()) {
  shared_->free.reserve(max_free_jobs);
  shared_->log = std::move(log);
  shared_->uncaught = std::move(uncaught);
  if (!shared_->uncaught)
    shared_->uncaught = [said = shared_->log ? shared_->log : print](
                            const std::exception_ptr& thrown) { say_uncaught(thrown, said); };
}

Timeline::~Timeline() {
  Shared& s = *shared_;
  if (s.process != process_generation()) {  // neither the thread nor those that wait exist here
    static_cast<void>(thread_.release());
    s.forever = shared_;
    return;
  }
  const bool inside = thread_ && thread_->get_id() == std::this_thread::get_id();
  {
    std::unique_lock lock(s.mutex);
    while (!inside && (s.done != s.pushed || s.running)) {
      if (!s.running) run_front(s, lock);
      else s.idle.wait(lock);
    }
    s.stop = true;
  }
  s.work.notify_all();
  if (inside) thread_->detach();
  else if (thread_) thread_->join();
}

void Timeline::check_process() const {
  if (shared_->process != process_generation())
    raise({"the context was made before fork() and has no threads in the child process",
           ErrorName::InvalidStateError},
          "MLContext");
}

std::unique_ptr<Job> Timeline::take() {
  check_process();
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
  if (job->staged) s.staged -= job->staged->size;
  return job;
}

void Timeline::trim() {
  if (shared_->process != process_generation()) return;
  const std::lock_guard lock(shared_->mutex);
  shared_->free.clear();
  shared_->staged = 0;
}

/// Whether there is one. It is tried again for each job: the system may have room by then.
bool Timeline::start_thread() {
  if (thread_) return true;
  try {
    thread_ = std::make_unique<std::thread>(&Timeline::serve, shared_);
  } catch (const std::system_error&) {}
  return !(shared_->threadless = !thread_);
}

void Timeline::say_threadless() {
  if (!shared_->log) return;
  std::call_once(shared_->said_threadless, [&] {
    shared_->log(
        LogLevel::warning,
        "the system starts no thread for queued work: the work runs on the thread that queues it");
  });
}

Timeline::Ticket Timeline::push(std::unique_ptr<Job> job, bool will_wait) {
  check_process();
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  // Before the job is queued, since it may use memory of the thread that waits.
  if (will_wait && s.runner == std::this_thread::get_id() && !s.can_run())
    raise(
        {"what the context runs just now waits for what comes later", ErrorName::InvalidStateError},
        "MLContext");
  if (s.pushed - s.done + 1 >= s.queue.size()) {
    std::vector<std::unique_ptr<Job>> larger(std::max<std::size_t>(8, 2 * s.queue.size()));
    for (Ticket t = s.done; t != s.pushed; ++t)
      larger[t & (larger.size() - 1)] = std::move(s.slot(t));
    s.queue = std::move(larger);
  }
  const bool has_thread = will_wait || start_thread();
  const bool runs_queue = s.runner == std::this_thread::get_id();
  std::shared_ptr<std::atomic<bool>> called_back;  // perhaps by another thread that runs the queue
  if (!has_thread && !runs_queue && job->after) {
    called_back = std::make_shared<std::atomic<bool>>(false);
    job->after = noted(std::move(job->after), called_back);
  }
  s.slot(s.pushed) = std::move(job);
  const Ticket ticket = ++s.pushed;
  const bool calls = !will_wait && !s.running;
  lock.unlock();
  if (!has_thread) {
    say_threadless();
    if (!runs_queue) wait(ticket);  // else leave() comes to it
    if (called_back) called_back->wait(false);
  } else if (calls) {
    s.work.notify_one();
  }
  return ticket;
}

namespace {

/// What a handler throws has no other handler.
void handle(const std::function<void(std::exception_ptr)>& uncaught) noexcept {
  try {
    uncaught(std::current_exception());
  } catch (...) {}
}

}  // namespace

void Timeline::run_front(Shared& s, std::unique_lock<std::mutex>& lock) {
  std::unique_ptr<Job> job = std::move(s.slot(s.done));
  const bool outer = std::exchange(s.running, true);
  const std::thread::id calling_back = std::exchange(s.calling_back, {});
  const std::thread::id runner = std::exchange(s.runner, std::this_thread::get_id());
  lock.unlock();
  std::exception_ptr failure = run_job(*job);
  job->clear();  // so that its tensors are released when it counts as done
  lock.lock();
  ++s.done;
  s.calling_back = job->after ? std::this_thread::get_id() : std::thread::id();
  s.wake_done();
  if (job->after) {
    lock.unlock();
    try {
      job->after(std::move(failure));
    } catch (...) { handle(s.uncaught); }
    job->after = nullptr;
    lock.lock();
  }
  s.running = outer;
  s.calling_back = calling_back;
  s.runner = runner;
  s.keep(std::move(job));
  if (s.done == s.pushed && s.queue.size() > max_free_slots)
    std::vector<std::unique_ptr<Job>>().swap(s.queue);
}

/// What a thread does that stops running the queue. Without a thread of the timeline it runs the
/// jobs of callbacks, for which no thread waits.
void Timeline::leave(Shared& s, std::unique_lock<std::mutex>& lock) {
  while (s.threadless && !s.running && !s.waiters && s.done != s.pushed) run_front(s, lock);
  s.hand_over();
}

void Timeline::wait(Ticket ticket) {
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  Shared::Waiter self{.ticket = ticket};
  while (s.done < ticket) {
    if (s.can_run()) {
      run_front(s, lock);
      continue;
    }
    if (!self.listed) s.add(self);
    self.woken = 0;
    lock.unlock();
    self.woken.wait(0);
    lock.lock();
  }
  if (self.listed) {  // it ran the job itself, inside or after a wait
    Shared::Waiter** at = &s.waiters;
    while (*at != &self) at = &(*at)->next;
    *at = self.next;
  }
  leave(s, lock);
}

void Timeline::run_if_light(Ticket ticket) {
  constexpr Ticket max_jobs = 8;
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  if (s.running || ticket > s.done + max_jobs) return;
  for (Ticket t = s.done; t < ticket; ++t)
    if (!is_light(*s.slot(t))) return;
  while (s.done < ticket && !s.running) run_front(s, lock);
  leave(s, lock);
}

bool Timeline::begin_if_idle() {
  check_process();
  Shared& s = *shared_;
  const std::lock_guard lock(s.mutex);
  if (s.running || s.done != s.pushed) return false;
  return s.running = true;
}

void Timeline::end() {
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  s.running = false;
  leave(s, lock);
}

void Timeline::serve(std::shared_ptr<Shared> shared) {
  Shared& s = *shared;
  std::unique_lock lock(s.mutex);
  for (;;) {
    if (!s.running && s.done != s.pushed) run_front(s, lock);
    else if (s.stop && !s.running) return;
    else {
      s.hand_over();
      s.work.wait(lock);
    }
  }
}

}  // namespace webnn::inline v0_1
