// A custom thread pool: the context uses the threads of the program and starts none.
#include <webnn/webnn.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>

using namespace webnn;

namespace {

class CustomThreadPool final : public ThreadPool {
 public:
  explicit CustomThreadPool(int count) {
    try {
      for (int i = 1; i < count; ++i) threads_.emplace_back([this, i] { work(i); });
    } catch (const std::system_error&) {}  // it works with those that the system has started
  }
  ~CustomThreadPool() override {
    std::unique_lock lock(mutex_);
    stop_ = true;
    lock.unlock();
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }
  int threads() const override { return static_cast<int>(threads_.size()) + 1; }

  void run(void (*body)(void*, int), void* argument) override {
    ++runs;
    const std::unique_lock one(busy_, std::try_to_lock);
    if (!one) return body(argument, 0);  // the workers are busy: the caller does all of the work
    {
      const std::lock_guard lock(mutex_);
      body_ = body, argument_ = argument, ++round_;
    }
    wake_.notify_all();
    body(argument, 0);
    std::unique_lock lock(mutex_);
    body_ = nullptr;  // a worker that wakes up now has no part in it
    left_.wait(lock, [this] { return inside_ == 0; });
  }

  std::atomic<int> runs = 0;

 private:
  void work(int worker) {
    std::unique_lock lock(mutex_);
    for (long seen = 0;;) {
      wake_.wait(lock, [&] { return stop_ || (body_ && round_ != seen); });
      if (stop_) return;
      seen = round_, ++inside_;
      const auto body = body_;
      void* const argument = argument_;
      lock.unlock();
      body(argument, worker);
      lock.lock();
      if (--inside_ == 0) left_.notify_all();
    }
  }

  std::mutex busy_, mutex_;
  std::condition_variable wake_, left_;
  void (*body_)(void*, int) = nullptr;
  void* argument_ = nullptr;
  long round_ = 0;
  int inside_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

std::vector<float> product(MLContext context) {
  MLGraphBuilder b(context);
  MLOperand x = b.input("x", {.dataType = float32, .shape = {256, 256}});
  MLGraph graph = b.build({{"y", b.matmul(b.sin(x), b.cos(x))}});
  std::vector<float> in(256 * 256), out(256 * 256);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 997) / 100;
  context.compute(graph, {{"x", in}}, {{"y", out}});
  return out;
}

}  // namespace

int main() {
  const auto workers = std::make_shared<CustomThreadPool>(3);
  const std::vector<float> pooled = product(MLContext({.threadPool = workers}));
  const std::vector<float> alone = product(MLContext({.threads = 1}));
  std::printf("%d threads lent, %d parallel regions; the result is %s\n", workers->threads(),
              workers->runs.load(), pooled == alone ? "the same, bit for bit" : "different");
}
