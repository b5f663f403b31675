// One builder used by several threads. ThreadSanitizer sees what is not guarded.
#include <atomic>
#include <thread>

#include "src/graph/access.h"
#include "tests/support/catch.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

template <class F> void in_threads(int count, F&& f) {
  std::atomic<int> ready = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      ++ready;
      while (ready < count) std::this_thread::yield();
      f(t);
    });
  for (std::thread& t : threads) t.join();
}

}  // namespace

TEST_CASE("two threads add operators to one builder") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  constexpr int threads = 4, length = 300;
  const MLOperand x = b.input("x", {float32, {2}});
  std::array<MLOperand, threads> ends;
  in_threads(threads, [&](int t) {
    MLOperand y = x;
    for (int i = 0; i < length; ++i) {
      y = b.add(y, b.constant(float32, t + 1));
      const auto parts = b.split(y, 2);
      y = b.concat({parts[0], parts[1]}, 0);
      if (i % 100 == 0) b.input("i" + std::to_string(t) + "_" + std::to_string(i), {float32, {2}});
    }
    ends[static_cast<std::size_t>(t)] = y;
  });
  NamedOperands outputs;
  for (std::size_t t = 0; t < threads; ++t) outputs.push_back({"y" + std::to_string(t), ends[t]});
  const MLGraph g = b.build(outputs);
  std::array<std::array<float, 2>, threads> y{};
  std::vector<NamedOutput> out;
  for (std::size_t t = 0; t < threads; ++t) out.push_back({outputs[t].name, y[t]});
  const std::array<float, 2> in{1, 2};
  const std::vector<NamedInput> inputs{{"x", in}};
  context.compute(g, inputs, out);
  for (std::size_t t = 0; t < threads; ++t)
    CHECK(y[t][1] == 2.f + static_cast<float>(length * (t + 1)));
}

TEST_CASE("of the inputs of one name that threads add, one is accepted") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  for (int round = 0; round < 20; ++round) {
    MLGraphBuilder b(context);
    std::atomic<int> accepted = 0;
    in_threads(4, [&](int) {
      try {
        b.input("x", {float32, {2}});
        ++accepted;
      } catch (const TypeError&) {}
    });
    CHECK(accepted == 1);
  }
}

TEST_CASE("build() while another thread adds operators") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  for (int round = 0; round < 20; ++round) {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {2}});
    const MLOperand y = b.neg(x);
    std::atomic<int> built = 0, refused = 0;
    in_threads(3, [&](int t) {
      try {
        if (t < 2) {
          b.build({{"y", y}});
          ++built;
        } else {
          for (MLOperand z = y;;) z = b.relu(z);
        }
      } catch (const InvalidStateError&) { ++refused; }
    });
    CHECK(built == 1);
    CHECK(refused == 2);
  }
}

TEST_CASE("a builder's operands are read while it grows") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2, 3}});
  std::atomic<int> wrong = 0;
  in_threads(3, [&](int t) {
    for (int i = 0; i < 500; ++i) {
      if (t == 0) b.relu(x);
      else wrong += x.shape() != Dims{2, 3} || !detail::state_of(builder_of(x));
    }
  });
  CHECK(wrong == 0);
}
