// Custom operators whose functions are wrong, throw, or run on many threads; and states.
#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/custom_operators.h"
#include "tests/support/thrown.h"
#include "webnn/state.h"
#include "webnn/webnn.h"

using namespace webnn;
using namespace webnn::test;

namespace {

std::vector<MLOperandDescriptor> same(const CustomCall& c) { return {c.inputs.at(0)}; }
void copy(const CustomRun& run) {
  const auto x = run.in<std::byte>(0);
  std::copy(x.begin(), x.end(), run.out<std::byte>().begin());
}
using Infer = std::function<std::vector<MLOperandDescriptor>(const CustomCall&)>;
CustomPointer with_infer(Infer infer) {
  return custom_operator({.name = "test.Odd", .infer = std::move(infer), .compute = &copy});
}

/// What a run of one operator on "x" of [rows, 4] says for these rows.
std::string run_rows(const CustomPointer& op, std::uint32_t rows) {
  return thrown([&] {
    MLContext context({.threads = 1});
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {"rows", 4}});
    const MLGraph graph = b.build({{"y", b.custom(op, {x}, {.label = "l"})[0]}});
    std::vector<float> in(4 * rows), out(4 * rows);
    context.compute(graph, {{"x", InputView(in, {rows, 4})}}, {{"y", out}});
  });
}

}  // namespace

TEST_CASE("custom operators whose infer() refuses sizes of a run") {
  const CustomPointer few = with_infer([](const CustomCall& c) {
    if (c.inputs.at(0).shape[0] > 100) throw std::invalid_argument("more than 100 rows");
    return same(c);
  });
  CHECK(run_rows(few, 100) == "nothing");
  CHECK_THAT(run_rows(few, 101), ContainsSubstring("test.Odd [l]: more than 100 rows"));
}

TEST_CASE("custom operators whose infer() is not a function of what it gets") {
  // A rank, a type or a number of results that changes from call to call.
  for (const int wrong : {0, 1, 2, 3}) {
    std::atomic<int> calls = 0;
    const CustomPointer odd = with_infer([&](const CustomCall& c) {
      auto results = same(c);
      if (++calls % 2 == 0) {
        if (wrong == 0) results[0].shape.push_back(1);
        if (wrong == 1) results[0].dataType = int32;
        if (wrong == 2) results.push_back(results[0]);
        if (wrong == 3) results.clear();
      }
      return results;
    });
    // It is refused, or happens to run; it must do neither harm nor hang.
    CHECK_NOTHROW(run_rows(odd, 3));
    CHECK(calls > 0);
  }
}

TEST_CASE("custom operators whose results grow beyond all bounds with open sizes") {
  const CustomPointer huge = with_infer([](const CustomCall& c) {
    auto results = same(c);
    results[0].shape[1] = 2147483647;
    return results;
  });
  CHECK_THAT(run_rows(huge, 2), ContainsSubstring("test.Odd [l]"));
}

TEST_CASE("custom operators with empty tensors of open dimensions") {
  std::atomic<int> runs = 0;
  CustomOperator o{.name = "test.Count", .infer = &same};
  o.compute = [&](const CustomRun& run) {
    ++runs;
    copy(run);
  };
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x =
      b.input("x", {float32, {MLDynamicDimension{.name = "rows", .minSize = 0}, 4}});
  const MLGraph graph = b.build({{"y", b.custom(custom_operator(o), {b.neg(x)})[0]}});
  std::vector<float> in(8, 1), out(8);
  context.compute(graph, {{"x", InputView(in, {2, 4})}}, {{"y", out}});
  CHECK(out == std::vector<float>(8, -1));
  CHECK_THAT(thrown([&] {
               context.compute(graph, {{"x", InputView(std::span(in).first(0), {0, 4})}},
                               {{"y", std::span(out).first(0)}});
             }),
             ContainsSubstring("output \"y\" has no elements"));
  CHECK(runs == 1);
}

TEST_CASE("custom operators: a tile that throws ends the run, and the next one is right") {
  std::atomic<bool> throws = true;
  CustomOperator o{.name = "test.Tiles", .infer = &same};
  o.lower = [&](const CustomCall&) -> Lowering {
    return Candidate{.tiles = 64, .run = [&](Range r, const Buffers& b, std::byte*) {
                       for (int i = r.begin; i < r.end; ++i) {
                         if (throws && i == 40) throw std::runtime_error("tile 40");
                         b.out<float>()[i] = b.in<float>()[i] + 1;
                       }
                     }};
  };
  for (const int threads : {1, 4}) {
    throws = true;
    MLContext context({.threads = threads});
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {64}});
    const MLOperand y = b.custom(custom_operator(o), {x}, {.label = "t"})[0];
    const MLGraph graph = b.build({{"y", b.neg(y)}});
    std::vector<float> in(64, 1), out(64);
    const auto run = [&] { context.compute(graph, {{"x", in}}, {{"y", out}}); };
    CHECK_THAT(thrown(run), ContainsSubstring("test.Tiles [t]"));
    CHECK_THAT(thrown(run), ContainsSubstring("tile 40"));
    throws = false;
    run();
    CHECK(out == std::vector<float>(64, -2));
  }
}

TEST_CASE("custom operators: what throws on constants ends the build") {
  CustomOperator o{.name = "test.Bad", .infer = &same};
  o.compute = [](const CustomRun&) { throw std::runtime_error("no luck"); };
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand c = b.constant({float32, {2}}, {1.f, 2.f});
  const MLOperand x = b.input("x", {float32, {2}});
  const MLOperand y = b.add(x, b.custom(custom_operator(o), {c}, {.label = "c"})[0]);
  CHECK(thrown([&] {
          b.build({{"y", y}});
        }) == "OperationError test.Bad [c]: compute failed: no luck.");
}

TEST_CASE("custom operators run for several callers at once, unless they are exclusive") {
  for (const bool exclusive : {false, true}) {
    std::atomic<int> running = 0, most = 0, runs = 0;
    CustomOperator o{.name = "test.Busy", .infer = &same, .exclusive = exclusive};
    o.compute = [&](const CustomRun& run) {
      const int now = ++running;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {}
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      copy(run);
      ++runs;
      --running;
    };
    MLContext context({.threads = 4});
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {4}});
    const MLGraph graph = b.build({{"y", b.custom(custom_operator(o), {x})[0]}});
    std::atomic<int> wrong = 0;
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([&, caller] {
        MLContext own = context;
        const auto v = static_cast<float>(caller);
        for (int run = 0; run < 10; ++run) {
          const std::array<float, 4> in = {v, v, v, v};
          std::array<float, 4> out{};
          own.compute(graph, {{"x", in}}, {{"y", out}});
          wrong += out != in;
        }
      });
    for (std::thread& t : callers) t.join();
    CHECK(wrong == 0);
    CHECK(runs == 40);
    if (exclusive) CHECK(most == 1);
  }
}

TEST_CASE("custom operators make states") {
  CustomOperator o{.name = "test.Next", .infer = &same};
  o.compute = [](const CustomRun& run) {
    for (std::size_t i = 0; const float v : run.in<float>(0)) run.out<float>()[i++] = 2 * v + 1;
  };
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand state = b.input("state", {float32, {3}});
  const MLOperand next = b.custom(custom_operator(o), {state})[0];
  update(b, state, next);
  const MLGraph graph = b.build({{"next", next}});
  MLTensor tensor = context.createTensor({float32, {3}, true, true});
  context.writeTensor(tensor, std::array<float, 3>{0, 1, 2});
  for (int run = 0; run < 3; ++run)
    context.dispatch(graph, {{"state", tensor}}, {{"next", tensor}});
  std::array<float, 3> out{};
  context.readTensor(tensor, out);
  CHECK(out == std::array<float, 3>{7, 15, 23});
}

TEST_CASE("custom operators live as long as graphs with them") {
  const auto token = std::make_shared<int>(1);
  std::optional<MLGraph> graph;
  MLContext context({.threads = 1});
  {
    CustomOperator o{.name = "test.Held", .infer = &same};
    o.compute = [token](const CustomRun& run) { copy(run); };
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {2}});
    graph = b.build({{"y", b.custom(custom_operator(std::move(o)), {x})[0]}});
  }
  CHECK(token.use_count() > 1);
  std::array<float, 2> out{};
  context.compute(*graph, {{"x", std::array<float, 2>{1, 2}}}, {{"y", out}});
  CHECK(out == std::array<float, 2>{1, 2});
  graph.reset();
  context = MLContext({.threads = 1});
  CHECK(token.use_count() == 1);
}
