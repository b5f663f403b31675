#include "src/runtime/team.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "src/graph/failure.h"
#include "src/runtime/cpu_quota.h"
#include "src/runtime/fork.h"
#include "src/runtime/placement.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {

Team::Team(int threads)
    : threads_(threads),
      a_core_each_(threads <= allowed_cores()),
      region_of_(std::make_unique<std::atomic<Region*>[]>(static_cast<std::size_t>(threads))),
      process_(process_generation()),
      workers_(std::make_unique<std::vector<std::thread>>()) {
  workers_->reserve(static_cast<std::size_t>(threads));
  try {
    for (int i = 1; i < threads; ++i) workers_->emplace_back([this, i] { serve(i); });
  } catch (const std::system_error&) {  // a limit of the user, the container or the system
    threads_ = static_cast<int>(workers_->size()) + 1;
  } catch (...) {
    end();
    throw;
  }
}

Team::~Team() { end(); }

void Team::end() {
  if (process_ != process_generation()) {
    static_cast<void>(workers_.release());  // handles of threads that do not exist here
    return;
  }
  stop_ = true;
  call_workers();
  for (std::thread& t : *workers_) t.join();
}

void Team::call_workers() {
  generation_.fetch_add(1);
  generation_.notify_all();
}

Team::Region* Team::take_region() {
  for (Region& r : regions_)
    if (!r.taken.load(std::memory_order_relaxed) &&
        !r.taken.exchange(true, std::memory_order_acquire))
      return &r;
  return nullptr;
}

void Team::run(void (*body)(void*, int), void* argument) {
  if (threads() == 1 || process_ != process_generation()) return body(argument, 0);
  const bool alone = callers_.fetch_add(1) + 1 >= threads();
  Region* const region = alone ? nullptr : take_region();
  if (!region) {
    body(argument, 0);
  } else {
    region->body = body;
    region->argument = argument;
    if (a_core_each_) region->core.store(current_core(), std::memory_order_relaxed);
    region->open.store(true);
    open_.fetch_add(1);
    call_workers();
    body(argument, 0);
    open_.fetch_sub(1);
    region->open.store(false);
    await(region->inside, [](int n) { return n == 0; });
    region->taken.store(false, std::memory_order_release);
  }
  end_caller();
}

void Team::end_caller() {
  callers_.fetch_sub(1);
  if (open_.load() > 0) call_workers();  // there is a thread more for another caller
}

bool Team::should_leave(int worker) const {
  if (callers_.load(std::memory_order_relaxed) <= 1) return false;
  if (!is_needed(worker)) return true;
  const Region* own = region_of_[static_cast<std::size_t>(worker)].load(std::memory_order_relaxed);
  if (!own) return false;
  for (const Region& r : regions_)
    if (r.open.load(std::memory_order_relaxed) &&
        r.inside.load(std::memory_order_relaxed) + 1 < own->inside.load(std::memory_order_relaxed))
      return true;
  return false;
}

Team::Region* Team::emptiest_region() {
  Region* best = nullptr;
  int fewest = 0;
  for (Region& r : regions_) {
    if (!r.open.load()) continue;
    const int n = r.inside.load(std::memory_order_relaxed);
    if (!best || n < fewest) best = &r, fewest = n;
  }
  return best;
}

// A worker announces itself before it looks whether the region is open, and the caller closes the
// region before it looks who is inside: so either the worker is awaited or it sees a closed region.
bool Team::work_in(Region& region, int worker) {
  region.inside.fetch_add(1);
  const bool open = region.open.load();
  if (open) {
    std::atomic<Region*>& own = region_of_[static_cast<std::size_t>(worker)];
    own.store(&region, std::memory_order_relaxed);
    region.body(region.argument, worker);
    own.store(nullptr, std::memory_order_relaxed);
  }
  if (region.inside.fetch_sub(1) == 1) region.inside.notify_all();
  return open;
}

// The scheduler of a virtual machine may wake a worker on the caller's core beside an idle one, and
// leave it there for many regions: the caller never waits, so nothing looks wrong to it.
void Team::serve(int worker) {
  constexpr int spins = 20000;
  for (std::uint32_t seen = 0;;) {
    for (int n = 0; n < spins && generation_.load() == seen; ++n) {
      if (n % 64 == 0 && !is_needed(worker)) break;  // callers need the core
      relax();
    }
    await(
        generation_, [&](std::uint32_t g) { return g != seen; }, 0);
    if (stop_) return;
    seen = generation_.load();
    if (!is_needed(worker)) continue;
    Region* const region = emptiest_region();
    if (!region) continue;
    const int core = a_core_each_ ? region->core.load(std::memory_order_relaxed) : -1;
    if (core >= 0 && core == current_core()) leave_core(core);
    work_in(*region, worker);
    // There may be another region, which was opened before this one was finished.
    Region* last = region;
    while (!stop_ && is_needed(worker) && generation_.load() == seen) {
      Region* const next = emptiest_region();
      if (!next || next == last || !work_in(*next, worker)) break;
      last = next;
    }
  }
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
  return std::clamp(usable_cores(), 1, max_threads);
}

}  // namespace webnn::inline v0_1
