// Branches and loops of which the data of each run decides what runs.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/formats/onnx/control_on_data.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;

TEST_CASE("onnx: an If on data runs the branch that is taken") {
  const Tensor some[] = {matrix(1), matrix(4)};
  double sums[2] = {};
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < some[k].size(); ++i) sums[k] += some[k][i];
  REQUIRE((sums[0] > 0) != (sums[1] > 0));  // each branch is taken
  for (const int threads : {1, 2, 5}) {
    const MLContext context = context_of(threads);
    const MLGraph graph = built(context, with_work());
    CHECK_THAT(to_text(graph.graph()), ContainsSubstring("webnn.If"));
    const std::string text = graph.explain();
    CHECK_THAT(text, ContainsSubstring("where the condition is 1:"));
    CHECK_THAT(text, ContainsSubstring("custom if"));
    for (int again = 0; again < 3; ++again)
      for (const Tensor& x : some) check_work(run(context, graph, {{"x", x}}), x);
    CHECK(context_of(threads).threads() > 0);
  }
  for (const Tensor& x : some) check_work(run(with_work().file(), {{"x", x}}), x);
}

TEST_CASE("onnx: a Loop whose iterations follow from data") {
  for (const int threads : {1, 3}) {
    const MLContext context = context_of(threads);
    const MLGraph graph = built(context, halving(false)), bounded = built(context, halving(true));
    CHECK_THAT(to_text(graph.graph()), ContainsSubstring("webnn.Loop"));
    CHECK_THAT(graph.explain(), ContainsSubstring("each iteration:"));
    for (const double x : {0.5, 1.0, 8.0, 1e6, 3e30}) {
      double y = x, k = 0, few = x, count = 0;
      for (; y > 1; y /= 2) ++k;
      for (; few > 1 && count < 4; few /= 2) ++count;
      auto r = run(context, graph, {{"x", number(x)}, {"bound", number(1)}});
      CHECK(r[0][0] == static_cast<float>(y));
      CHECK(r[1][0] == k);
      r = run(context, bounded, {{"x", number(x)}, {"bound", number(1)}, {"trips", integer(4)}});
      CHECK(r[0][0] == static_cast<float>(few));
      CHECK(r[1][0] == count);
      r = run(context, bounded, {{"x", number(x)}, {"bound", number(1)}, {"trips", integer(0)}});
      CHECK(r[0][0] == static_cast<float>(x));
      CHECK(r[1][0] == 0);
    }
  }
}

TEST_CASE("onnx: a Loop on data that does not end is stopped") {
  const MLContext context = context_of(2);
  const MLGraph graph = built(context, halving(false));
  // 0 > -1 for ever.
  CHECK_THAT(webnn::test::thrown([&] {
               run(context, graph, {{"x", number(0)}, {"bound", number(-1)}});
             }),
             ContainsSubstring("webnn.Loop [halving]: custom loop failed: it has more than "
                               "1048576 iterations"));
  CHECK(run(context, graph, {{"x", number(4)}, {"bound", number(1)}})[1][0] == 2);
  std::stop_source stop;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    stop.request_stop();
  });
  float x = 0, bound = -1, y = 0;
  MLContext copy = context;
  const std::string said = webnn::test::thrown([&] {
    copy.compute(graph, {{"x", std::span(&x, 1)}, {"bound", std::span(&bound, 1)}},
                 {{"y", std::span(&y, 1)}}, stop.get_token());
  });
  stopper.join();
  CHECK_THAT(said, ContainsSubstring("AbortError"));
}

TEST_CASE("onnx: an If within a Loop on data, and weights that iterations share") {
  const Writer w = alternating();
  const Tensor x = matrix(3);
  const std::vector<float> weights = numbers(n * n, 0.3f, 2);
  Doubles v = elements(x);
  const int count = 7;
  int took[2] = {};
  for (int i = 0; i < count; ++i) {
    const bool high = *std::ranges::max_element(v) > 1;
    ++took[high];
    Doubles next(v.size());
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) {
        double sum = high ? 0 : 1;
        for (std::size_t k = 0; k < n; ++k) sum += v[r * n + k] * weights[k * n + c];
        next[r * n + c] = sum;
      }
    v = std::move(next);
  }
  REQUIRE(std::min(took[0], took[1]) > 1);
  for (const int threads : {1, 2, 4}) {
    const MLContext context = context_of(threads);
    const MLGraph graph = built(context, w);
    CHECK_THAT(graph.explain(), ContainsSubstring("where the condition is 0:"));
    for (int again = 0; again < 10; ++again) {
      const auto y = run(context, graph, {{"x", x}, {"bound", number(count)}});
      CHECK(y[1][0] == count);
      for (std::size_t i = 0; i < v.size(); i += 11)
        CHECK(std::abs(y[0][i] - v[i]) <= 1e-3 * std::max(1., std::abs(v[i])));
    }
    // Several callers at the same time.
    std::vector<std::thread> callers;
    std::atomic<int> right{0};
    for (int t = 0; t < 4; ++t)
      callers.emplace_back([&] {
        for (int again = 0; again < 20; ++again)
          right += run(context, graph, {{"x", x}, {"bound", number(count)}})[1][0] == count;
      });
    for (std::thread& t : callers) t.join();
    CHECK(right == 80);
  }
}

namespace {

/// A pool of the caller whose workers come late, leave now and then, and come to some calls only.
class Unsteady final : public ThreadPool {
 public:
  int threads() const override { return 4; }
  void run(void (*body)(void*, int), void* argument) override {
    const int call = calls_.fetch_add(1);
    std::vector<std::thread> workers;
    for (int w = 1; w < 1 + call % 4; ++w)
      workers.emplace_back([=] {
        if (w == 2) std::this_thread::sleep_for(std::chrono::microseconds(200));
        body(argument, w);
      });
    if (call % 5 != 4) body(argument, 0);
    for (std::thread& t : workers) t.join();
  }
  bool should_leave(int) const override { return asked_.fetch_add(1) % 7 == 6; }

 private:
  std::atomic<int> calls_{0};
  mutable std::atomic<int> asked_{0};
};

}  // namespace

TEST_CASE("onnx: subgraphs on threads of the caller, which come and go") {
  const MLContext context({.threadPool = std::make_shared<Unsteady>()});
  const MLGraph branches = built(context, with_work()), loop = built(context, alternating());
  const MLContext one = context_of(1);
  const Tensor x = matrix(3);
  const auto expected = run(one, built(one, alternating()), {{"x", x}, {"bound", number(7)}});
  for (int again = 0; again < 60; ++again) {
    check_work(run(context, branches, {{"x", matrix(again % 5)}}), matrix(again % 5));
    const auto y = run(context, loop, {{"x", x}, {"bound", number(7)}});
    CHECK(y[0].bytes == expected[0].bytes);
    CHECK(y[1].bytes == expected[1].bytes);
  }
}

TEST_CASE("onnx: a long Loop is not unrolled") {
  Writer w;
  w.input("x", {"2"}).output("y").initializer(floats("one", {}, {1}));
  w.initializer(int64s("n", {}, {30000}));
  const Message body =
      graph_of({node_of("Add", {"v", "one"}, {"next"}), node_of("Identity", {"go"}, {"on"})},
               {"i", "go", "v"}, {"on", "next"});
  w.node("Loop", {"n", "", "x"}, {"y"}, {graph_attribute("body", body)}, {}, "long");
  const MLContext context = context_of(2);
  const MLGraph graph = built(context, w);
  CHECK(graph.graph().size() < 5);
  const auto y = run(context, graph, {{"x", webnn::test::tensor(float32, {2}, {0.5, -3})}});
  CHECK(y[0][0] == 30000.5);
  CHECK(y[0][1] == 29997);
}

TEST_CASE("onnx: what a Loop on data cannot have") {
  const auto of = [](const Message& body, std::size_t results) {
    Writer w;
    w.input("x", {"2"}).input("trips", {}, INT64).output("y");
    w.node("Loop", {"trips", "", "x"}, results == 1 ? Names{"y"} : Names{"y", "all"},
           {graph_attribute("body", body)}, {}, "loop");
    return refusal(w);
  };
  const Message on = node_of("Identity", {"go"}, {"on"});
  CHECK_THAT(of(graph_of({node_of("Concat", {"v", "v"}, {"w"}, {attribute("axis", 0)}), on},
                         {"i", "go", "v"}, {"on", "w"}),
                1),
             ContainsSubstring("state 0 is float32 [2] before one and float32 [4] after it"));
  Writer w;
  w.input("x", {"2"}).input("trips", {}, INT64).output("all");
  w.node("Loop", {"trips", "", "x"}, {"y", "all"},
         {graph_attribute("body", graph_of({node_of("Neg", {"v"}, {"w"}), on}, {"i", "go", "v"},
                                           {"on", "w", "w"}))});
  CHECK_THAT(refusal(w), ContainsSubstring("the sizes of scanned outputs"));
}
