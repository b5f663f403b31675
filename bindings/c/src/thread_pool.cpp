#include "bindings/c/src/thread_pool.h"

#include "bindings/c/src/values.h"

namespace webnn::inline v0_1::c {
namespace {

constexpr webnn_thread_pool default_pool = WEBNN_THREAD_POOL_INIT;

class CallerThreads final : public ThreadPool {
 public:
  explicit CallerThreads(const webnn_thread_pool& pool) : pool_(pool) {}
  CallerThreads(const CallerThreads&) = delete;
  ~CallerThreads() override {
    if (owned && pool_.release) pool_.release(pool_.user);
  }
  int threads() const override { return pool_.threads; }
  void run(void (*body)(void*, int), void* argument) override {
    pool_.run(pool_.user, body, argument);
  }
  bool should_leave(int worker) const override {
    return pool_.should_leave && pool_.should_leave(pool_.user, worker);
  }

  bool owned = false;

 private:
  const webnn_thread_pool pool_;
};

}  // namespace

std::shared_ptr<ThreadPool> thread_pool_of(const webnn_thread_pool* pool) {
  if (!pool) return nullptr;
  const auto all = complete(pool, default_pool, "createContext");
  need(all.run, {"createContext", "thread_pool.run"});
  if (all.threads < 1)
    Where{"createContext", "thread_pool.threads"}.reject("(" + std::to_string(all.threads) +
                                                         ") is less than 1");
  return std::make_shared<CallerThreads>(all);
}
void own(const std::shared_ptr<ThreadPool>& pool) {
  if (pool) static_cast<CallerThreads&>(*pool).owned = true;
}

}  // namespace webnn::inline v0_1::c
