// compute and compute_async: the caller's memory.
#include "tests/runtime/own_backend.h"
#include "tests/support/captured_stderr.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using test::thrown;

namespace {

const MLContextOptions alone{.threads = 1, .backends = {"reference"}};

MLGraph graph_of_two(MLContext& context) {  // z = x + y, d = x - y
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2}}), y = b.input("y", {float32, {2}});
  return b.build({{"z", b.add(x, y)}, {"d", b.sub(x, y)}});
}

}  // namespace

TEST_CASE("what compute refuses") {
  MLContext context(alone), other(alone);
  MLGraph graph = graph_of_two(context);
  std::array<float, 8> m{1, 2, 3, 4};
  const std::span<float> x(m.data(), 2), y(m.data() + 2, 2), z(m.data() + 4, 2), d(m.data() + 6, 2);
  const auto check = [&](std::vector<NamedInput> in, std::vector<NamedOutput> out,
                         const std::string& message) {
    CHECK(thrown([&] { context.compute(graph, in, out); }) == "TypeError compute: " + message);
    CHECK(thrown([&] { context.compute_async(graph, in, out); }) ==
          "TypeError compute_async: " + message);
  };
  CHECK(thrown([&] { other.compute(graph, {}, {}); }) ==
        "TypeError compute: the graph belongs to another context.");
  const std::string has = "; the graph has \"x\" float32 [2], \"y\" float32 [2].";
  check({{"x", x}, {"w", y}}, {{"z", z}}, "no input named \"w\"" + has);
  check({{"x", x}, {"", y}}, {{"z", z}}, "no input named \"\"" + has);
  check({{"x", x}, {"a\"\n", y}}, {{"z", z}}, "no input named \"a\"\\u000a\"" + has);
  check({{"x", x}}, {{"z", z}}, "input \"y\" is missing.");
  check({}, {{"z", z}}, "input \"x\" is missing.");
  check({{"x", x}, {"x", y}}, {{"z", z}}, "input \"x\" is given twice.");
  check({{"x", x}, {"y", y}}, {{"probs", z}},
        "no output named \"probs\"; the graph has \"z\" float32 [2], \"d\" float32 [2].");
  check({{"x", x}, {"y", y}}, {{"z", z}, {"z", d}}, "output \"z\" is given twice.");
  check({{"x", x}, {"y", y}}, {}, "no output is asked for.");
  check({{"x", x}, {"y", std::span(m).subspan(2, 3)}}, {{"z", z}},
        "the byte length (12) of input \"y\" is not that of float32 [2] (8).");
  check({{"x", x}, {"y", std::span<float>()}}, {{"z", z}},
        "the byte length (0) of input \"y\" is not that of float32 [2] (8).");
  check({{"x", x}, {"y", y}}, {{"d", std::span(m).subspan(7)}},
        "the byte length (4) of output \"d\" is not that of float32 [2] (8).");
  std::array<std::int32_t, 2> whole{};
  std::array<std::uint16_t, 4> bits{};
  check({{"x", whole}, {"y", y}}, {{"z", z}},
        "the elements of input \"x\" are not of its data type (float32).");
  check({{"x", x}, {"y", y}}, {{"z", bits}},
        "the elements of output \"z\" are not of its data type (float32).");
  const auto bytes = std::as_writable_bytes(std::span(m));
  check({{"x", bytes.subspan(1, 8)}, {"y", y}}, {{"z", z}},
        "the memory of input \"x\" is not aligned to its elements (4 bytes).");
  check({{"x", x}, {"y", y}}, {{"z", bytes.subspan(18, 8)}},
        "the memory of output \"z\" is not aligned to its elements (4 bytes).");
  check({{"x", x}, {"y", y}}, {{"z", std::span(m).subspan(3, 2)}},
        "the memory of output \"z\" overlaps that of input \"y\".");
  check({{"x", x}, {"y", y}}, {{"d", z}, {"z", std::span(m).subspan(5, 2)}},
        "the memory of output \"d\" overlaps that of output \"z\".");
  CHECK(m == std::array<float, 8>{1, 2, 3, 4});
  context.compute(graph, {{"x", x}, {"y", x}}, {{"z", z}});  // inputs may overlap
  CHECK(m[4] == 2);
  graph.destroy();
  CHECK(thrown([&] {
          context.compute(graph, {{"?", x}}, {});
        }) == "InvalidStateError compute: the graph is destroyed.");
}

TEST_CASE("any order of names, and a subset of the outputs") {
  MLContext context(alone);
  const MLGraph graph = graph_of_two(context);
  const std::array<float, 2> x{1, 2}, y{10, 20};
  std::array<float, 2> z{}, d{};
  for (int i = 0; i < 3; ++i) {
    context.compute(graph, {{"y", y}, {"x", x}}, {{"d", d}, {"z", z}});
    CHECK(z == std::array{11.f, 22.f});
    CHECK(d == std::array{-9.f, -18.f});
    z = d = {};
    context.compute(graph, {{"x", x}, {"y", y}}, {{"d", d}});
    CHECK(z == std::array{0.f, 0.f});
    CHECK(d == std::array{-9.f, -18.f});
  }
}

TEST_CASE("empty contexts of every view") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  const MLGraph graph = b.build({{"y", b.neg(b.input("x", {int8, {2}}))}});
  const std::vector<std::int8_t> x{1, -2};
  std::vector<std::byte> bytes(2);
  context.compute(graph, {{"x", x}}, {{"y", bytes}});
  CHECK(bytes == std::vector{std::byte{0xff}, std::byte{2}});
  std::int8_t plain[2] = {};
  context.compute(graph, {{"x", bytes}}, {{"y", std::span(plain)}});
  CHECK(plain[0] == 1);
  CHECK(plain[1] == -2);
}

TEST_CASE("compute_async: a future") {
  MLContext context(alone);
  const MLGraph graph = graph_of_two(context);
  const std::array<float, 2> x{1, 2}, y{10, 20};
  std::array<float, 2> z{};
  context.compute_async(graph, {{"x", x}, {"y", y}}, {{"z", z}}).get();
  CHECK(z == std::array{11.f, 22.f});
}

TEST_CASE("compute_async: failures come through the future and the callback") {
  const auto own = test::own_backend([](Chain) {
    return Candidate{.name = "bad", .run = [](Range, const Buffers&, std::byte*) { throw 1; }};
  });
  MLContext context({.threads = 1, .backends = {own}});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build({{"y", b.relu(b.input("x", {float32, {2}}))}});
  const std::array<float, 2> x{};
  std::array<float, 2> y{};
  const std::string message = "OperationError relu: own bad failed: unknown failure.";
  auto future = context.compute_async(graph, {{"x", x}}, {{"y", y}});
  CHECK(thrown([&] { future.get(); }) == message);
  std::promise<std::string> told;
  context.compute_async(graph, {{"x", x}}, {{"y", y}}, [&](std::exception_ptr e) {
    told.set_value(thrown([&] { std::rethrow_exception(e); }));
  });
  CHECK(told.get_future().get() == message);
  CHECK(thrown([&] { context.compute(graph, {{"x", x}}, {{"y", y}}); }) == message);
}

TEST_CASE("compute_async: what a callback throws goes to the handler, and work goes on") {
  std::vector<std::string> uncaught;
  MLContextOptions options = alone;
  options.uncaughtException = [&](std::exception_ptr e) {
    uncaught.push_back(thrown([&] { std::rethrow_exception(e); }));
  };
  MLContext context(options);
  const MLGraph graph = graph_of_two(context);
  const std::array<float, 2> x{1, 2}, y{10, 20};
  std::array<float, 2> z{}, d{};
  context.compute_async(graph, {{"x", x}, {"y", y}}, {{"z", z}},
                        [](std::exception_ptr) { throw std::runtime_error("of the caller"); });
  context.compute_async(graph, {{"x", x}, {"y", y}}, {{"d", d}}).get();
  CHECK(z == std::array{11.f, 22.f});
  CHECK(d == std::array{-9.f, -18.f});
  CHECK(uncaught == std::vector<std::string>{"std::exception of the caller"});
}

TEST_CASE("compute_async: without a handler, what a callback throws is printed") {
  MLContext context(alone);
  const MLGraph graph = graph_of_two(context);
  const std::array<float, 2> x{1, 2}, y{10, 20};
  std::array<float, 2> z{}, d{};
  const test::CapturedStderr captured;
  context.compute_async(graph, {{"x", x}, {"y", y}}, {{"z", z}},
                        [](std::exception_ptr) { throw std::runtime_error("of the caller"); });
  context.compute_async(graph, {{"x", x}, {"y", y}}, {{"d", d}}).get();
  CHECK(d == std::array{-9.f, -18.f});
  CHECK(captured.text() == "webnn: a callback threw an exception: of the caller\n");
}

TEST_CASE("compute_async: a callback may use the context") {
  MLContext context(alone);
  const MLGraph graph = graph_of_two(context);
  MLGraphBuilder b(context);
  const MLGraph neg = b.build({{"y", b.neg(b.input("x", {float32, {2}}))}});
  const MLTensor in = context.createTensor({.shape = {2}, .writable = true});
  const MLTensor out = context.createTensor({.shape = {2}, .readable = true});
  const std::array<float, 2> x{1, 2}, y{10, 20};
  std::array<float, 2> z{}, seen{};
  std::promise<void> done;
  context.compute_async(graph, {{"x", x}, {"y", y}}, {{"z", z}}, [&](std::exception_ptr) {
    context.writeTensor(in, z);
    context.dispatch(neg, {{"x", in}}, {{"y", out}});
    context.readTensor(out, seen);  // runs what is queued, here
    context.compute(graph, {{"x", seen}, {"y", y}}, {{"z", z}});
    done.set_value();
  });
  done.get_future().get();
  CHECK(seen == std::array{-11.f, -22.f});
  CHECK(z == std::array{-1.f, -2.f});
}

TEST_CASE("compute_async: callbacks come in order") {
  MLContext context(alone);
  const MLGraph graph = graph_of_two(context);
  const MLTensor t = context.createTensor({.shape = {2}, .readable = true});
  const std::array<float, 2> x{1, 2}, y{10, 20};
  std::array<float, 2> z{}, v{};
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) {
    context.compute_async(graph, {{"x", x}, {"y", y}}, {{"z", z}},
                          [&order, i](std::exception_ptr) { order.push_back(i); });
    if (i % 7 == 0) context.readTensor(t, v);
  }
  context.readTensor(t, v);
  REQUIRE(order.size() == 100);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("compute_async: a callback that drops the last handle of its own context") {
  for (int round = 0; round < 20; ++round) {
    std::promise<void> dropped;
    static const std::array<float, 2> x{1, 2}, y{10, 20};
    static std::array<float, 2> z{}, d{};
    std::future<void> later;
    {
      auto context = std::make_shared<MLContext>(MLContextOptions{.threads = 2});
      const MLGraph graph = graph_of_two(*context);
      std::atomic<bool> queued = false;
      MLContext& c = *context;
      c.compute_async(graph, {{"x", x}, {"y", y}}, {{"z", z}},
                      [&, context = std::move(context)](std::exception_ptr) mutable {
                        queued.wait(false);
                        context.reset();
                        dropped.set_value();
                      });
      later = c.compute_async(graph, {{"x", x}, {"y", y}}, {{"d", d}});
      queued = true;
      queued.notify_all();
      dropped.get_future().get();
    }
    later.get();  // what was queued before is done all the same
    CHECK(d == std::array{-9.f, -18.f});
  }
}

TEST_CASE("compute_async: a callback that destroys its context") {
  MLContext context(alone);
  const MLGraph graph = graph_of_two(context);
  const std::array<float, 2> x{1, 2}, y{10, 20};
  std::array<float, 2> z{}, d{};
  std::promise<void> done;
  context.compute_async(graph, {{"x", x}, {"y", y}}, {{"z", z}}, [&](std::exception_ptr) {
    context.destroy();
    done.set_value();
  });
  done.get_future().get();
  CHECK(context.lost());
  CHECK(thrown([&] {
          context.compute(graph, {{"x", x}, {"y", y}}, {{"d", d}});
        }) == "InvalidStateError compute: the graph is destroyed.");
}

TEST_CASE("profile") {
  MLContext context({.threads = 2, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {300, 300}});
  const MLGraph graph = b.build({{"y", b.matmul(b.tanh(x), x)}});
  const auto us = context.profile(graph, 3);
  REQUIRE(us.size() == 2);
  CHECK(us[0] > 0);
  CHECK(us[1] > 0);
  CHECK(graph.explain(us).find("reference") != std::string::npos);
  CHECK(thrown([&] { context.profile(graph, 0); }) ==
        "TypeError profile: runs (0) is not between 1 and 1000000.");
  CHECK(thrown([&] { context.profile_async(graph, 1000001); }) ==
        "TypeError profile: runs (1000001) is not between 1 and 1000000.");
  CHECK(thrown([&] { MLContext({.threads = 1}).profile_async(graph); }).substr(0, 18) ==
        "TypeError profile:");
  CHECK(context.profile_async(graph, 3).get().size() == 2);
  std::promise<std::size_t> steps;
  context.profile_async(graph, 1, [&](std::exception_ptr failure, std::vector<double> times) {
    steps.set_value(failure ? 0 : times.size());
  });
  CHECK(steps.get_future().get() == 2);
  MLContext odd({.backends = {"reference"}, .threadPool = std::make_shared<test::LonelyPool>(3)});
  MLGraphBuilder c(odd);
  const MLOperand y = c.input("x", {float32, {300, 300}});
  const MLGraph other = c.build({{"y", c.matmul(c.tanh(y), y)}});
  for (double t : odd.profile(other, 3)) CHECK((t > 0 && t < 1e7));
}
