#include "tests/faults/few_threads.h"

#ifdef WEBNN_TEST_FEW_THREADS
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

namespace webnn::inline v0_1::test {
namespace {

constexpr int any = 1 << 30;
std::atomic<int> threads_left{any};

}  // namespace

FewThreads::FewThreads(int n) { threads_left = n; }
FewThreads::~FewThreads() { threads_left = any; }

}  // namespace webnn::inline v0_1::test

// The one of the C library, unless a test wants it to fail.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (webnn::test::threads_left.fetch_sub(1) <= 0) return EAGAIN;
  return create(thread, attributes, start, argument);
}
#endif
