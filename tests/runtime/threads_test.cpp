// Results have the same bits for any number of threads and any pool, and many threads at once.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <cstring>
#include <random>

#include "src/runtime/team.h"
#include "tests/passes/random_network.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"

using namespace webnn;

namespace {

/// Large enough that kernels have several tiles.
MLGraph large_network(MLContext& context, std::uint32_t seed) {
  MLGraphBuilder b(context);
  std::mt19937 random(seed);
  const auto weights = [&](Dims shape) {
    std::vector<float> v(element_count(shape));
    for (float& f : v) f = static_cast<float>(random() % 2001) / 1000.f - 1.f;
    return b.constant({float32, std::move(shape)}, v);
  };
  const std::uint32_t c = 8 + static_cast<std::uint32_t>(random() % 9);
  MLOperand x = b.input("x", {float32, {1, c, 40, 40}});
  MLOperand y = b.relu(b.conv2d(x, weights({16, c, 3, 3}), {.padding = {1, 1, 1, 1}}));
  y = b.add(y, b.tanh(b.conv2d(y, weights({16, 1, 3, 3}),
                               {.padding = {1, 1, 1, 1}, .groups = 16, .bias = weights({16})})));
  y = b.mul(y, b.sigmoid(b.reduceMean(y, {.axes = {2, 3}, .keepDimensions = true})));
  y = b.maxPool2d(y, {.windowDimensions = {2, 2}, .strides = {2, 2}});
  y = b.softmax(b.matmul(b.reshape(y, {16, 400}), weights({400, 300})), 1);
  y = b.layerNormalization(b.transpose(y));
  return b.build({{"y", y}, {"s", b.reduceSum(y, {.axes = {0}})}});
}

std::vector<float> run(MLContext& context, const MLGraph& g, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> x;
  if (!g.inputs().empty()) x.resize(element_count(g.inputs()[0].descriptor.shape));
  for (float& v : x) v = static_cast<float>(random() % 2001) / 1000.f - 1.f;
  std::vector<std::vector<float>> y;
  std::vector<NamedInput> in;
  std::vector<NamedOutput> out;
  if (!x.empty()) in.push_back({"x", x});
  for (const auto& [name, d] : g.outputs()) y.emplace_back(element_count(d.shape));
  for (std::size_t i = 0; i < y.size(); ++i)
    out.push_back({g.outputs()[i].name, std::as_writable_bytes(std::span(y[i]))});
  context.compute(g, in, out);
  std::vector<float> all;
  for (const auto& part : y) all.insert(all.end(), part.begin(), part.end());
  return all;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::vector<std::vector<BackendChoice>> backend_sets() {
  std::vector<std::vector<BackendChoice>> sets{{"reference"}, {}};
  for (const std::string& name : MLContext({.threads = 1}).backends())
    if (name != "reference") sets.push_back({name, "reference"});
  return sets;
}

}  // namespace

TEST_CASE("the same bits for 1, 2, 3 and 8 threads") {
  for (const auto& backends : backend_sets()) {
    std::vector<MLContext> contexts;
    for (int threads : {1, 2, 3, 8})
      contexts.emplace_back(MLContextOptions{.threads = threads, .backends = backends});
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
      std::vector<float> first;
      for (MLContext& context : contexts) {
        MLGraph g;
        if (seed < 6) {
          g = large_network(context, seed);
        } else {
          MLGraphBuilder b(context);
          g = b.build(test::RandomNetwork(b, seed).build(25));
        }
        INFO("threads " << context.threads() << ", seed " << seed << "\n" << g.explain());
        for (int repeat = 0; repeat < 3; ++repeat) {
          const auto y = run(context, g, seed);
          if (first.empty()) first = y;
          REQUIRE(same_bits(first, y));
        }
      }
    }
  }
}

TEST_CASE("the same bits with any pool") {
  MLContext plain({.threads = 1, .backends = {"reference"}});
  const auto expected = run(plain, large_network(plain, 1), 1);
  const std::shared_ptr<ThreadPool> pools[] = {
      std::make_shared<test::SequentialPool>(), std::make_shared<test::LonelyPool>(0),
      std::make_shared<test::LonelyPool>(3), std::make_shared<test::FreshPool>()};
  for (const auto& pool : pools) {
    MLContext context({.backends = {"reference"}, .threadPool = pool});
    const MLGraph g = large_network(context, 1);
    for (int i = 0; i < 3; ++i) REQUIRE(same_bits(expected, run(context, g, 1)));
  }
}

TEST_CASE("a pool that sends more workers than it said") {
  struct Grown final : ThreadPool {
    int threads() const override { return 2; }
    void run(void (*body)(void*, int), void* argument) override {
      for (int i : {7, -1, 1, 0}) body(argument, i);
    }
  };
  MLContext plain({.threads = 1, .backends = {"reference"}});
  MLContext context({.backends = {"reference"}, .threadPool = std::make_shared<Grown>()});
  CHECK(same_bits(run(plain, large_network(plain, 1), 1),
                  run(context, large_network(context, 1), 1)));
}

TEST_CASE("a pool that makes no call") {
  struct Empty final : ThreadPool {
    int threads() const override { return 2; }
    void run(void (*)(void*, int), void*) override {}
  };
  MLContext plain({.threads = 1, .backends = {"reference"}});
  MLContext context({.backends = {"reference"}, .threadPool = std::make_shared<Empty>()});
  CHECK(same_bits(run(plain, large_network(plain, 1), 1),
                  run(context, large_network(context, 1), 1)));
}

TEST_CASE("a kernel that throws in some tiles") {
  const auto own = test::own_backend([](Chain chain) {
    Candidate k = test::float_kernel(chain, [](float v) { return v; });
    k.run = [](Range r, const Buffers&, std::byte*) {
      if (r.end > 500) throw std::runtime_error("tile");
    };
    return k;
  });
  MLContext context({.threads = 3, .backends = {own}});
  MLGraphBuilder b(context);
  const MLGraph g = b.build({{"y", b.relu(b.neg(b.input("x", {float32, {1000}})))}});
  for (int i = 0; i < 50; ++i) CHECK_THROWS_AS(run(context, g, 1), OperationError);
}

TEST_CASE("many threads share a context, its graphs and its timeline") {
  MLContext context({.threads = 3, .backends = {"reference"}});
  const MLGraph a = large_network(context, 1), b = large_network(context, 2);
  const auto expect_a = run(context, a, 1), expect_b = run(context, b, 2);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      const MLGraph own = t % 3 == 2 ? large_network(context, 1) : MLGraph();
      for (int i = 0; i < 8; ++i) {
        if (t % 3 == 0) wrong += !same_bits(run(context, a, 1), expect_a);
        if (t % 3 == 1) wrong += !same_bits(run(context, b, 2), expect_b);
        if (t % 3 == 2) wrong += !same_bits(run(context, own, 1), expect_a);
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("many threads queue work") {
  MLContext context({.threads = 2, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLGraph g = b.build({{"y", b.neg(b.input("x", {float32, {3}}))}});
  std::atomic<int> wrong = 0, called = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      const MLTensor x = context.createTensor({.shape = {3}, .writable = true});
      const MLTensor y = context.createTensor({.shape = {3}, .readable = true});
      std::array<float, 3> v{}, w{}, z{};
      for (int i = 0; i < 200; ++i) {
        v.fill(static_cast<float>(1000 * t + i));
        context.writeTensor(x, v);
        context.dispatch(g, {{"x", x}}, {{"y", y}});
        if (i % 16 == 0) {
          context.compute_async(g, {{"x", v}}, {{"y", z}}, [&](std::exception_ptr) { ++called; });
          context.compute_async(g, {{"x", v}}, {{"y", z}}).get();
        }
        context.readTensor(y, w);
        for (float f : w) wrong += f != -v[0];
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(called == 6 * 13);
}

TEST_CASE("contexts come and go while others work") {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        MLContext context({.threads = 2, .backends = {"reference"}});
        MLGraphBuilder b(context);
        const MLGraph g = b.build({{"y", b.neg(b.input("x", {float32, {3}}))}});
        const MLTensor x = context.createTensor({.shape = {3}, .writable = true});
        const MLTensor y = context.createTensor({.shape = {3}, .readable = true});
        context.writeTensor(x, std::array{1.f, 2.f, 3.f});
        context.dispatch(g, {{"x", x}}, {{"y", y}});
        if (i % 2) {
          std::array<float, 3> v{};
          context.readTensor(y, v);
          wrong += v[2] != -3;
        }
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("destroy while others work") {
  for (int round = 0; round < 20; ++round) {
    MLContext context({.threads = 2, .backends = {"reference"}});
    MLGraphBuilder b(context);
    const MLGraph g = b.build({{"y", b.neg(b.input("x", {float32, {3}}))}});
    std::atomic<int> other_errors = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        try {
          for (;;) {
            const MLTensor x = context.createTensor({.shape = {3}, .writable = true});
            const MLTensor y = context.createTensor({.shape = {3}, .readable = true});
            std::array<float, 3> v{};
            context.writeTensor(x, v);
            context.dispatch(g, {{"x", x}}, {{"y", y}});
            context.readTensor(y, v);
          }
        } catch (const InvalidStateError&) {
        } catch (const TypeError& e) {
          other_errors += e.reason().find("is destroyed") == std::string::npos;
        } catch (...) { ++other_errors; }
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    context.destroy();
    for (std::thread& t : threads) t.join();
    CHECK(other_errors == 0);
  }
}

TEST_CASE("a team calls distinct workers and waits for those that came") {
  Team team(8);
  for (int round = 0; round < 2000; ++round) {
    struct State {
      std::atomic<int> inside{0}, calls[8]{};
    } state;
    team.run(
        [](void* p, int worker) {
          State& s = *static_cast<State*>(p);
          ++s.inside;
          ++s.calls[worker];
          --s.inside;
        },
        &state);
    REQUIRE(state.inside == 0);
    REQUIRE(state.calls[0] == 1);
  }
}

TEST_CASE("a busy machine") {
  const pid_t spinner = fork();
  if (spinner == 0) {
    alarm(60);
    for (std::atomic<int> i = 0;;) ++i;
  }
  {
    MLContext plain({.threads = 1, .backends = {"reference"}});
    MLContext context({.threads = 4, .backends = {"reference"}});
    const auto expected = run(plain, large_network(plain, 3), 3);
    const MLGraph g = large_network(context, 3);
    for (int i = 0; i < 30; ++i) CHECK(same_bits(expected, run(context, g, 3)));
  }
  kill(spinner, SIGKILL);
  waitpid(spinner, nullptr, 0);
}
