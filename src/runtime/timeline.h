// Jobs in the order in which they were queued, one at a time.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "src/kernels/common/growing.h"
#include "src/runtime/use_count.h"
#include "webnn/context.h"
#include "webnn/tensor.h"

namespace webnn::inline v0_1 {

struct GraphState;
struct TensorMemory;

/// One queued piece of work. Jobs are used again, so that a dispatch allocates nothing.
struct Job {
  enum class Kind { dispatch, write, read, call } kind = Kind::call;
  Use<GraphState> graph{};
  std::vector<Use<TensorState>> inputs{}, outputs{};  // write, read: outputs, inputs[0]
  std::shared_ptr<TensorMemory> staged{};             // write: the values
  std::byte* target = nullptr;                        // read: where to
  std::exception_ptr* failure = nullptr;              // read: what went wrong before
  std::function<void()> call{};
  std::stop_token stop{};              // dispatch
  GrowingSizes sizes{};                // dispatch: of states that grow
  std::vector<GrowingSizes> joined{};  // dispatch: the longest of states that are joined, and each
  std::vector<Use<TensorState>> parts{};  // dispatch: of joined states
  std::exception_ptr out_of_memory{};     // dispatch, call: stands for std::bad_alloc
  bool light = false;                     // call: see is_light()
  /// Called with what `call` threw when the job counts as done; may throw and may wait.
  std::function<void(std::exception_ptr)> after{};
  std::vector<const void*> sorted{};  // memory for a check

  Job();
  ~Job();
  void clear();  ///< all but `after`
};

/// Runs jobs in their order. A thread of its own runs what no thread waits for; a thread that waits
/// runs the queue itself when no other does, which spares a thread switch. Where the system does
/// not start that thread, the one that queues a job waits for it. In a child process after fork()
/// every method throws InvalidStateError.
class Timeline {
 public:
  using Ticket = std::uint64_t;

  /// `uncaught` gets what a job's `after` throws; empty: `log` gets its message, or standard error
  /// where there is none of both.
  Timeline(std::function<void(std::exception_ptr)> uncaught,
           std::function<void(LogLevel, std::string_view)> log);
  ~Timeline();
  Timeline(const Timeline&) = delete;

  /// An empty job to fill.
  std::unique_ptr<Job> take();
  /// Without `will_wait` the job runs by itself: here, before this returns, when the thread cannot
  /// be started, unless this thread is running the queue. The caller keeps what owns the timeline.
  Ticket push(std::unique_ptr<Job> job, bool will_wait = false);
  /// Returns when the job has run. Does not throw.
  void wait(Ticket ticket);
  /// Runs the job and those before it here and now, if no thread runs them and all are light.
  void run_if_light(Ticket ticket);
  /// Frees the memory of jobs that are kept to be used again.
  void trim();
  /// Calls f in place of a job, if nothing is queued or running; returns whether it did.
  /// f must not throw.
  template <class F> bool run_if_idle(F&& f) {
    if (!begin_if_idle()) return false;
    f();
    end();
    return true;
  }

 private:
  struct Shared;  // outlives the timeline when a callback drops the last handle of its own context
  static void run_front(Shared& s, std::unique_lock<std::mutex>& lock);
  static void leave(Shared& s, std::unique_lock<std::mutex>& lock);
  static void serve(std::shared_ptr<Shared> s);
  bool start_thread();
  void check_process() const;
  bool begin_if_idle();
  void end();
  void say_threadless();

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<std::thread> thread_;  // started by the first job that no thread waits for
};

}  // namespace webnn::inline v0_1
