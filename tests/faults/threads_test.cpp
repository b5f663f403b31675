// Threads that cannot be started, and processes that fork.
#include "tests/support/catch.h"
#include "webnn/webnn.h"

#if defined(__linux__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

using namespace webnn;

namespace {

std::atomic<int> threads_left{1 << 30};

struct FewThreads {
  explicit FewThreads(int n) { threads_left = n; }
  ~FewThreads() { threads_left = 1 << 30; }
  FewThreads(const FewThreads&) = delete;
};

/// The exit code of a child that runs f, or a text that says how it ended.
template <class F> std::string in_child(F&& f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::_Exit(f());
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return "exit " + std::to_string(WEXITSTATUS(status));
  return WTERMSIG(status) == SIGALRM ? "hung" : "signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

// The one of the C library, unless a test wants it to fail.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left.fetch_sub(1) <= 0) return EAGAIN;
  return create(thread, attributes, start, argument);
}

TEST_CASE("a context whose threads cannot be started") {
  for (int n = 0; n < 3; ++n) {
    const FewThreads few(n);
    CHECK_THROWS_AS(MLContext({.threads = 4}), OperationError);
  }
  const FewThreads few(3);
  CHECK(MLContext({.threads = 4}).threads() == 4);
}

TEST_CASE("a timeline whose thread cannot be started") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLGraph g = b.build({{"y", b.neg(b.input("x", {float32, {2}}))}});
  const std::array<float, 2> x{1, 2};
  std::array<float, 2> y{};
  {
    const FewThreads few(0);
    CHECK_THROWS_AS(context.compute_async(g, {{"x", x}}, {{"y", y}}), OperationError);
    context.compute(g, {{"x", x}}, {{"y", y}});
    CHECK(y[1] == -2);
  }
  y = {};
  context.compute_async(g, {{"x", x}}, {{"y", y}}).get();
  CHECK(y[1] == -2);
}

TEST_CASE("a child process after fork") {
  auto context = std::make_unique<MLContext>(MLContextOptions{.threads = 3});
  MLGraphBuilder b(*context);
  const MLGraph g = b.build({{"y", b.relu(b.input("x", {float32, {1000}}))}});
  const std::vector<float> x(1000, 1.f);
  std::vector<float> y(1000);
  const MLTensor t = context->createTensor({.shape = {1000}, .readable = true, .writable = true});
  context->compute_async(g, {{"x", x}}, {{"y", y}}).get();
  CHECK(in_child([&] {
          context->compute(g, {{"x", x}}, {{"y", y}});  // on the calling thread
          return y[0] == 1 ? 7 : 1;
        }) == "exit 7");
  CHECK(in_child([&] {
          int refused = 0;
          const auto refuses = [&](auto&& f) {
            try {
              f();
            } catch (const InvalidStateError& e) {
              refused += e.reason().find("fork()") != std::string::npos;
            }
          };
          refuses([&] { context->compute_async(g, {{"x", x}}, {{"y", y}}).get(); });
          refuses([&] { context->writeTensor(t, x); });
          refuses([&] { context->readTensor(t, y); });
          refuses([&] { context->readTensor_async(t, [](auto&&...) {}); });
          return refused;
        }) == "exit 4");
  CHECK(in_child([&] {
          MLContext fresh({.threads = 2});
          MLGraphBuilder own(fresh);
          const MLGraph h = own.build({{"y", own.neg(own.input("x", {float32, {1000}}))}});
          fresh.compute_async(h, {{"x", x}}, {{"y", y}}).get();
          return y[0] == -1 ? 7 : 1;
        }) == "exit 7");
  CHECK(in_child([&] {
          context->destroy();
          context.reset();  // joins no thread of the parent
          return 7;
        }) == "exit 7");
}
#endif
