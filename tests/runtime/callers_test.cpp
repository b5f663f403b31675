// Many callers of one graph at the same time.
#include <chrono>
#include <cmath>
#include <deque>
#include <thread>

#include "src/kernels/backends.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using test::thrown;

namespace {

using Clock = std::chrono::steady_clock;

/// Counts the calls that are in a kernel at the same time, each of which waits a while for others.
struct Meeting {
  std::atomic<int> inside{0}, most{0};
  int wanted = 2;

  void visit() {
    const int now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {}
    const auto end = Clock::now() + std::chrono::milliseconds(100);
    while (most < wanted && Clock::now() < end) std::this_thread::yield();
    --inside;
  }
};

Candidate meeting_kernel(Chain chain, Meeting& m) {
  Candidate k = test::float_kernel(
      chain, [](float v) { return -v; }, 1);
  k.run = [run = k.run, &m](Range r, const Buffers& b, std::byte* s) {
    m.visit();
    run(r, b, s);
  };
  return k;
}

std::shared_ptr<test::OwnBackend> meeting_backend(Meeting& m) {
  return test::own_backend([&m](Chain chain) -> Lowering {
    if (chain.size() > 1) return Refusal{"one operator"};
    return meeting_kernel(chain, m);
  });
}

void call_from(int threads, const std::function<void(int)>& call) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) all.emplace_back([&, t] { call(t); });
  for (std::thread& t : all) t.join();
}

MLGraph negation(MLContext& context) {
  MLGraphBuilder b(context);
  return b.build({{"y", b.neg(b.input("x", {float32, {4}}))}});
}

/// Calls from so many threads, each with its own numbers; returns how many results were wrong.
int wrong_results(MLContext& context, const MLGraph& g, int threads, int calls) {
  std::atomic<int> wrong{0};
  call_from(threads, [&](int t) {
    for (int i = 0; i < calls; ++i) {
      const auto v = static_cast<float>(100 * t + i);
      const std::array<float, 4> x{v, v + 1, v + 2, v + 3};
      std::array<float, 4> y{};
      context.compute(g, {{"x", x}}, {{"y", y}});
      for (std::size_t k = 0; k < 4; ++k) wrong += y[k] != -x[k];
    }
  });
  return wrong;
}

MLGraph network(MLContext& context) {
  MLGraphBuilder b(context);
  const auto weights = [&](Dims shape) {
    std::vector<float> v(element_count(shape));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 7) * 0.1f - 0.3f;
    return b.constant({float32, std::move(shape)}, v);
  };
  const MLOperand x = b.input("x", {float32, {1, 16, 16, 8}});
  MLOperand y = b.conv2d(x, weights({16, 3, 3, 8}),
                         {.padding = {1, 1, 1, 1},
                          .inputLayout = MLInputOperandLayout::nhwc,
                          .filterLayout = MLConv2dFilterOperandLayout::ohwi,
                          .bias = weights({16})});
  y = b.maxPool2d(
      b.relu(y),
      {.windowDimensions = Dims{2, 2}, .strides = {2, 2}, .layout = MLInputOperandLayout::nhwc});
  y = b.matmul(b.reshape(y, {64, 16}), weights({16, 64}));
  const MLOperand sums = b.matmul(y, b.transpose(y));
  return b.build({{"y", b.softmax(b.add(b.tanh(sums), b.sigmoid(sums)), 1)}});
}

}  // namespace

TEST_CASE("two callers of a graph run at the same time") {
  Meeting m;
  MLContext context({.threads = 2, .backends = {meeting_backend(m)}});
  const MLGraph g = negation(context);
  CHECK(g.memory().runs == 1);
  CHECK(wrong_results(context, g, 2, 3) == 0);
  CHECK(m.most == 2);
  CHECK(g.memory().runs == 2);
}

TEST_CASE("no more callers than MLContextOptions::runs at the same time") {
  for (const int runs : {1, 3}) {
    Meeting m{.wanted = 5};
    MLContext context({.threads = 2, .backends = {meeting_backend(m)}, .runs = runs});
    const MLGraph g = negation(context);
    CHECK(wrong_results(context, g, 8, 2) == 0);
    CHECK(m.most == runs);
    CHECK(g.memory().runs == static_cast<std::size_t>(runs));
  }
  CHECK(thrown([] { MLContext({.runs = -1}); }) ==
        "TypeError MLContext: runs (-1) is not between 0 and 1024.");
}

TEST_CASE("a kernel that is exclusive serves one run at a time") {
  for (const int threads : {1, 2, 3}) {
    std::deque<Meeting> meetings;  // one for each kernel
    const auto exclusive = test::own_backend([&](Chain chain) -> Lowering {
      if (chain.size() > 1 || !chain[0].as<ops::neg>()) return Refusal{"only neg"};
      Candidate k = meeting_kernel(chain, meetings.emplace_back());
      k.exclusive = true;
      return k;
    });
    MLContext context({.threads = threads, .backends = {exclusive, "reference"}, .runs = 4});
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {4}});
    const MLGraph g = b.build({{"y", b.neg(b.abs(b.neg(b.sub(x, b.constant(float32, 1)))))}});
    std::atomic<int> wrong{0};
    call_from(4, [&](int t) {
      const std::array<float, 4> in{static_cast<float>(t), 2, 3, 4};
      std::array<float, 4> y{};
      for (int i = 0; i < 2; ++i) {
        context.compute(g, {{"x", in}}, {{"y", y}});
        for (std::size_t k = 0; k < 4; ++k) wrong += y[k] != -std::abs(in[k] - 1);
      }
    });
    CHECK(wrong == 0);
    CHECK(meetings.size() == 2);
    for (const Meeting& m : meetings) CHECK(m.most == 1);
  }
}

TEST_CASE("callers at the same time get what one caller gets") {
  for (const std::string_view backend : backend_names()) {
    INFO(backend);
    MLContext context({.threads = 3, .backends = {std::string(backend), "reference"}, .runs = 4});
    const MLGraph g = network(context);
    constexpr int kinds = 6;
    std::vector<std::vector<float>> x(kinds), expected(kinds);
    for (std::size_t k = 0; k < kinds; ++k) {
      for (std::size_t i = 0; i < 16 * 16 * 8; ++i)
        x[k].push_back(std::sin(static_cast<float>(i * (k + 1))));
      expected[k].resize(64 * 64);
      context.compute(g, {{"x", x[k]}}, {{"y", expected[k]}});
    }
    std::atomic<int> wrong{0};
    call_from(kinds, [&](int t) {
      const auto k = static_cast<std::size_t>(t);
      std::vector<float> y(64 * 64);
      for (int i = 0; i < 40; ++i) {
        context.compute(g, {{"x", x[k]}}, {{"y", y}});
        wrong += y != expected[k];
      }
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("memoryLimit limits the runs at the same time") {
  MLContext context({.threads = 2, .runs = 4, .memoryLimit = 6 << 20});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {1 << 20}});
  const MLGraph g = b.build({{"y", b.neg(b.sin(b.softsign(x)))}});
  CHECK(g.memory().arena >= std::size_t{4} << 20);
  const std::vector<float> in(1 << 20, 1.f);
  call_from(4, [&](int) {
    std::vector<float> y(1 << 20);
    for (int i = 0; i < 3; ++i) context.compute(g, {{"x", in}}, {{"y", y}});
  });
  CHECK(g.memory().runs == 1);
}

TEST_CASE("mistakes of many callers leave the graph usable") {
  MLContext context({.threads = 2});
  const MLGraph g = negation(context);
  std::atomic<int> refused{0};
  call_from(8, [&](int) {
    std::array<float, 3> few{};
    std::array<float, 4> y{};
    for (int i = 0; i < 50; ++i) try {
        context.compute(g, {{"x", few}}, {{"y", y}});
      } catch (const TypeError&) { ++refused; }
  });
  CHECK(refused == 400);
  CHECK(wrong_results(context, g, 4, 10) == 0);
}
