// A system that starts only so many threads. What uses it is linked with few_threads.cpp, which
// takes the place of pthread_create().
#pragma once

#if defined(__linux__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define WEBNN_TEST_FEW_THREADS 1

namespace webnn::inline v0_1::test {

/// While it lives, the first n threads can be started, and no more.
struct FewThreads {
  explicit FewThreads(int n);
  ~FewThreads();
  FewThreads(const FewThreads&) = delete;
};

}  // namespace webnn::inline v0_1::test
#endif
