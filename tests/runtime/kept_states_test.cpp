// States that a graph keeps between its runs.
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/state.h"
#include "webnn/webnn.h"

using namespace webnn;
using test::thrown;

namespace {

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

/// sum' = sum + x, y = 10 * sum'
struct Sum {
  MLContext context{{.threads = 2}};
  MLGraph graph;

  explicit Sum(std::optional<std::vector<float>> first = std::nullopt) {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {2}}), sum = b.input("sum", {float32, {2}});
    const MLOperand next = b.add(sum, x);
    if (first) keepState(b, sum, next, Constant::copy_of(bytes_of(*first)));
    else keepState(b, sum, next);
    graph = b.build({{"y", b.mul(next, b.constant(float32, 10))}, {"next", next}});
  }
  std::vector<float> run(std::vector<float> x) {
    std::vector<float> y(2);
    context.compute(graph, {{"x", x}}, {{"y", y}});
    return y;
  }
};

using Floats = std::vector<float>;

}  // namespace

TEST_CASE("kept states: a run reads what the run before has left") {
  Sum zeros, ones(Floats{1, 2});
  CHECK(zeros.run({1, 2}) == Floats{10, 20});
  CHECK(zeros.run({1, 2}) == Floats{20, 40});
  CHECK(ones.run({1, 2}) == Floats{20, 40});
  CHECK(ones.run({-3, 1}) == Floats{-10, 50});
  resetStates(ones.graph);
  CHECK(ones.run({1, 2}) == Floats{20, 40});
  const std::vector<KeptState> kept = keptStates(ones.graph);
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].input == "sum");
  CHECK(kept[0].output == "next");
  CHECK(std::ranges::equal(kept[0].initial.bytes(), bytes_of({1, 2})));
}

TEST_CASE("kept states: a caller takes a state over") {
  Sum s(Floats{1, 2});
  CHECK(s.run({1, 1}) == Floats{20, 30});
  Floats x{1, 1}, sum{100, 200}, y(2), next(2);
  s.context.compute(s.graph, {{"x", x}, {"sum", sum}}, {{"y", y}, {"next", next}});
  CHECK(y == Floats{1010, 2010});
  CHECK(next == Floats{101, 201});
  s.context.compute(s.graph, {{"x", x}, {"sum", sum}}, {{"y", y}});
  CHECK(y == Floats{1010, 2010});
  CHECK(s.run({1, 1}) == Floats{30, 40});
  CHECK(thrown([&] {
          s.context.compute(s.graph, {{"x", x}}, {{"next", next}});
        }) == "TypeError compute: input \"sum\" is missing.");
  CHECK(thrown([&] {
          s.context.compute(s.graph, {}, {{"y", y}});
        }) == "TypeError compute: input \"x\" is missing.");
  CHECK(s.run({0, 0}) == Floats{30, 40});
}

TEST_CASE("kept states: dispatches, and calls that do not wait") {
  Sum s;
  const MLTensor x = s.context.createTensor({float32, {2}, false, true});
  const MLTensor y = s.context.createTensor({float32, {2}, true, false});
  s.context.writeTensor(x, Floats{1, 2});
  for (int i = 0; i < 3; ++i) s.context.dispatch(s.graph, {{"x", x}}, {{"y", y}});
  Floats found(2), one{1, 1};
  s.context.readTensor(y, found);
  CHECK(found == Floats{30, 60});
  s.context.compute_async(s.graph, {{"x", one}}, {{"y", found}}).get();
  CHECK(found == Floats{40, 70});
  resetStates(s.graph);
  s.context.dispatch(s.graph, {{"x", x}}, {{"y", y}});
  s.context.readTensor(y, found);
  CHECK(found == Floats{10, 20});
}

TEST_CASE("kept states: callers of many threads follow one another") {
  Sum s;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) s.run({1, 2});
    });
  for (std::thread& t : threads) t.join();
  CHECK(s.run({0, 0}) == Floats{2000, 4000});
}

TEST_CASE("kept states: a row is written in place") {
  MLContext context({.threads = 2});
  MLGraphBuilder b(context);
  const MLOperand past = b.input("past", {float32, {3, 2}}),
                  row = b.input("row", {float32, {1, 2}}),
                  place = b.input("place", {int32, {1, 1}});
  const MLOperand present = b.scatterND(past, place, row);
  keepState(b, past, present);
  const MLGraph graph = b.build({{"present", present}, {"sum", b.reduceSum(present)}});
  float sum = 0, expected = 0;
  for (std::int32_t i = 0; i < 3; ++i) {
    const Floats r{static_cast<float>(i) + 1, 10};
    expected += r[0] + r[1];
    context.compute(graph, {{"row", r}, {"place", std::vector<std::int32_t>{i}}},
                    {{"sum", std::span(&sum, 1)}});
    CHECK(sum == expected);
  }
}

TEST_CASE("kept states: of a graph with open dimensions") {
  MLContext context({.threads = 2});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"n"}}), sum = b.input("sum", {float32, {}});
  const MLOperand next = b.add(sum, b.reduceSum(x));
  keepState(b, sum, next, Constant::copy_of(bytes_of({0.5f})));
  const MLGraph graph = b.build({{"next", next}, {"y", b.add(x, next)}});
  const auto run = [&](const Floats& values) {
    Floats y(values.size());
    context.compute(graph, {{"x", values}}, {{"y", y}});
    return y;
  };
  CHECK(run({1, 2}) == Floats{4.5, 5.5});
  CHECK(run({1, 1, 1}) == Floats{7.5, 7.5, 7.5});
  CHECK(run({1, 2}) == Floats{10.5, 11.5});
}

TEST_CASE("kept states: what is refused") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2}}), open = b.input("open", {float32, {"n"}});
  const MLOperand y = b.neg(x), z = b.neg(open);
  const auto refusal = [&](const MLOperand& in, const MLOperand& out, std::size_t floats) {
    return thrown([&] { keepState(b, in, out, Constant::copy_of(bytes_of(Floats(floats)))); });
  };
  CHECK(refusal(x, y, 3) ==
        "TypeError keepState: the byte length (12) of the initial value of state_in \"x\" is not "
        "that of float32 [2] (8).");
  CHECK(refusal(open, z, 2) ==
        "TypeError keepState: state_in \"open\", float32 [n], has open dimensions, so that a graph "
        "cannot keep it.");
  CHECK(refusal(y, x, 2) == "TypeError keepState: state_in is not an input of this builder.");
  CHECK(refusal({}, y, 2) == "TypeError keepState: state_in is not an input of this builder.");
  keepState(b, x, y);
  CHECK(refusal(x, y, 2) == "TypeError keepState: the state \"x\" is declared already.");
}
