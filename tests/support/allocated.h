// How much of the heap is in use.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEBNN_TEST_SANITIZER_HEAP
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEBNN_TEST_SANITIZER_HEAP
#endif
#endif

#ifdef WEBNN_TEST_SANITIZER_HEAP
// sanitizer/allocator_interface.h declares it, which GCC does not bring.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#else
#include <malloc.h>
#endif

namespace webnn::inline v0_1::test {

/// Bytes that the program has allocated and not freed. The sanitizers have heaps of their own.
inline std::int64_t allocated() {
#ifdef WEBNN_TEST_SANITIZER_HEAP
  return static_cast<std::int64_t>(__sanitizer_get_current_allocated_bytes());
#else
  const auto m = mallinfo2();
  return static_cast<std::int64_t>(m.uordblks + m.hblkhd);
#endif
}

}  // namespace webnn::inline v0_1::test
