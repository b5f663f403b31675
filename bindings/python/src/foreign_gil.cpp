#include "bindings/python/src/foreign_gil.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace webnn::inline v0_1::python {
namespace {

namespace py = pybind11;

struct Holders {
  std::mutex mutex{};
  std::condition_variable fewer{};
  int count = 0;
  std::optional<std::thread::id> ends{};  // the thread that ends Python
  const pid_t process = getpid();         // a child process has none of the other threads
};
/// Never destroyed: threads of contexts may outlive static objects.
Holders& holders() {
  static Holders& all = *new Holders;
  return all;
}

bool enter() {
  Holders& h = holders();
  const std::lock_guard lock(h.mutex);
  if (h.ends && *h.ends != std::this_thread::get_id()) return false;
  ++h.count;
  return true;
}

void end() {
  constexpr std::chrono::minutes longest{1};  // for a function that waits for this thread
  const py::gil_scoped_release release;
  Holders& h = holders();
  std::unique_lock lock(h.mutex);
  h.ends = std::this_thread::get_id();
  if (h.process == getpid()) h.fewer.wait_for(lock, longest, [&] { return h.count == 0; });
}

}  // namespace

AsksForGil::AsksForGil() : goes_on(enter()) {}
AsksForGil::~AsksForGil() {
  if (!goes_on) return;
  Holders& h = holders();
  const std::lock_guard lock(h.mutex);
  --h.count;
  h.fewer.notify_all();
}

WithoutGil::~WithoutGil() {
  const AsksForGil asks;
  if (asks.goes_on) PyEval_RestoreThread(thread_);
  while (!asks.goes_on) std::this_thread::sleep_for(std::chrono::hours(1));
}

void AsksForGil::start() {
  {
    const std::lock_guard lock(holders().mutex);
    holders().ends.reset();
  }
  py::module_::import("atexit").attr("register")(py::cpp_function(&end));
}

}  // namespace webnn::inline v0_1::python
