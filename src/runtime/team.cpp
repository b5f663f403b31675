#include "src/runtime/team.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "src/graph/failure.h"
#include "src/runtime/fork.h"
#include "src/runtime/placement.h"
#include "webnn/error.h"

namespace webnn {

Team::Team(int threads)
    : threads_(threads),
      a_core_each_(threads <= allowed_cores()),
      process_(process_generation()),
      workers_(std::make_unique<std::vector<std::thread>>()) {
  workers_->reserve(static_cast<std::size_t>(threads));
  try {
    for (int i = 1; i < threads; ++i) workers_->emplace_back([this, i] { serve(i); });
  } catch (const std::exception& e) {
    end();
    raise({format("cannot start {} threads: {}", {Arg(threads), Arg(e.what())}),
           ErrorName::OperationError},
          "MLContext");
  }
}

Team::~Team() { end(); }

void Team::end() {
  if (process_ != process_generation()) {
    static_cast<void>(workers_.release());  // handles of threads that do not exist here
    return;
  }
  stop_ = true;
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& t : *workers_) t.join();
}

void Team::run(void (*body)(void*, int), void* argument) {
  if (threads_ == 1 || process_ != process_generation()) return body(argument, 0);
  if (busy_.exchange(true, std::memory_order_acquire)) return body(argument, 0);
  body_ = body;
  argument_ = argument;
  if (a_core_each_) caller_core_.store(current_core(), std::memory_order_relaxed);
  open_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
  body(argument, 0);
  open_.store(false);
  await(inside_, [](int n) { return n == 0; });
  busy_.store(false, std::memory_order_release);
}

// A worker announces itself before it looks whether the team is open, and the caller closes the
// team before it looks who is inside: so either the worker is awaited or it sees a closed team.
void Team::serve(int worker) {
  for (std::uint32_t seen = 0;;) {
    await(
        generation_, [&](std::uint32_t g) { return g != seen; }, 20000);
    if (stop_) return;
    seen = generation_.load();
    if (a_core_each_) leave_caller();
    inside_.fetch_add(1);
    if (open_.load()) body_(argument_, worker);
    if (inside_.fetch_sub(1) == 1) inside_.notify_all();
  }
}

// The scheduler of a virtual machine may wake a worker on the caller's core beside an idle one, and
// leave it there for many regions: the caller never waits, so nothing looks wrong to it.
void Team::leave_caller() {
  const int core = caller_core_.load(std::memory_order_relaxed);
  if (core >= 0 && core == current_core()) leave_core(core);
}

int thread_count(int asked) {
  if (asked < 0 || asked > max_threads)
    raise(fail("threads ({}) is not between 0 and {}", asked, max_threads), "MLContext");
  if (asked) return asked;
  if (const char* text = std::getenv("WEBNN_NUM_THREADS")) {
    const std::string_view s(text);
    int n = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
    if (error == std::errc() && end == s.data() + s.size() && n >= 1 && n <= max_threads) return n;
    if (!s.empty())
      raise(
          fail("WEBNN_NUM_THREADS ({}) is not a number between 1 and {}", escaped(s), max_threads),
          "MLContext");
  }
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, max_threads);
}

}  // namespace webnn
