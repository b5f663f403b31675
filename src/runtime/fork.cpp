#include "src/runtime/fork.h"

#include <atomic>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace webnn::inline v0_1 {
namespace {

std::atomic<std::uint32_t> generation{0};

}  // namespace

std::uint32_t process_generation() {
#if defined(__unix__) || defined(__APPLE__)
  static const int watching =
      pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(watching);
#endif
  return generation.load(std::memory_order_relaxed);
}

}  // namespace webnn::inline v0_1
