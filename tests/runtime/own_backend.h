// Backends and thread pools as a user would write them.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "webnn/backend.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

/// A backend made of a function. Counts what it is offered.
struct OwnBackend final : Backend {
  using Lower = std::function<Lowering(Chain)>;

  explicit OwnBackend(Lower lower, std::string name = "own")
      : lower_(std::move(lower)), name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  Lowering lower(Chain chain) const override {
    std::string s;
    for (const Node& node : chain) s += (s.empty() ? "" : " ") + std::string(node.name());
    offers.push_back(s);
    return lower_(chain);
  }
  mutable std::vector<std::string> offers{};

 private:
  Lower lower_;
  std::string name_;
};

inline std::shared_ptr<OwnBackend> own_backend(OwnBackend::Lower lower, std::string name = "own") {
  return std::make_shared<OwnBackend>(std::move(lower), std::move(name));
}
inline Lowering refuse(Chain) { return Refusal{"it takes nothing"}; }

/// y[i] = f(x[i]) on float32, a tile for each element.
inline Candidate float_kernel(Chain chain, float (*f)(float), int tiles = 0) {
  const auto count = static_cast<int>(element_count(chain.back().output().shape()));
  const int all = tiles ? tiles : count;
  return Candidate{.name = "test",
                   .tiles = all,
                   .in_place = {0},
                   .run = [count, all, f](Range r, const Buffers& b, std::byte*) {
                     for (int i = r.begin * count / all; i < r.end * count / all; ++i)
                       b.out<float>()[i] = f(b.in<float>()[i]);
                   }};
}

/// Calls all bodies on the calling thread, one after the other.
struct SequentialPool final : ThreadPool {
  int threads() const override { return 4; }
  void run(void (*body)(void*, int), void* argument) override {
    for (int i : {2, 0, 3, 1}) body(argument, i);
  }
};

/// Only one of many workers comes.
struct LonelyPool final : ThreadPool {
  explicit LonelyPool(int worker) : worker_(worker) {}
  int threads() const override { return 5; }
  void run(void (*body)(void*, int), void* argument) override { body(argument, worker_); }

 private:
  int worker_;
};

/// New threads for every run.
struct FreshPool final : ThreadPool {
  int threads() const override { return 3; }
  void run(void (*body)(void*, int), void* argument) override {
    std::thread a(body, argument, 1), b(body, argument, 2);
    body(argument, 0);
    a.join();
    b.join();
  }
};

/// A gate at which kernels wait.
class Gate {
 public:
  void open() {
    open_ = true;
    open_.notify_all();
  }
  void pass() {
    ++waiting_;
    waiting_.notify_all();
    open_.wait(false);
  }
  void await_visitor() {
    while (waiting_ == 0) waiting_.wait(0);
  }

 private:
  std::atomic<bool> open_{false};
  std::atomic<int> waiting_{0};
};

/// relu, which waits at the gate.
inline std::shared_ptr<OwnBackend> gated_backend(Gate& gate) {
  return own_backend([&gate](Chain chain) -> Lowering {
    if (chain.size() > 1 || !chain[0].as<ops::relu>()) return Refusal{"only relu"};
    const auto count = element_count(chain[0].output().shape());
    return Candidate{.name = "gate", .run = [&gate, count](Range, const Buffers& b, std::byte*) {
                       gate.pass();
                       for (std::size_t i = 0; i < count; ++i)
                         b.out<float>()[i] = std::max(0.f, b.in<float>()[i]);
                     }};
  });
}

}  // namespace webnn::inline v0_1::test
