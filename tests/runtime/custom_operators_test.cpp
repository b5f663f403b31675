// Custom operators in graphs that run: kernels, failures, passes, sizes.
#include <array>
#include <atomic>
#include <stdexcept>

#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/custom_operators.h"
#include "tests/support/thrown.h"
#include "webnn/float16.h"
#include "webnn/webnn.h"

using namespace webnn;
using namespace webnn::test;

namespace {

/// A float32 operator of one operand, y = f(x), that counts its runs.
struct Counted {
  std::atomic<int> runs{0};
  CustomPointer op;

  explicit Counted(bool pure) {
    op = custom_operator({.name = pure ? "test.Pure" : "test.NotPure",
                          .infer = [](const CustomCall& c) { return std::vector{c.inputs.at(0)}; },
                          .compute =
                              [this](const CustomRun& run) {
                                const auto n = static_cast<float>(++runs);
                                std::ranges::fill(run.out<float>(), n);
                              },
                          .pure = pure});
  }
};

}  // namespace

TEST_CASE("custom operators compute, between others and alone") {
  for (const int threads : {1, 3}) {
    MLContext context({.threads = threads});
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {2, 4}});
    const MLOperand z = b.custom(scaled_sum(), {b.neg(x)},
                                 {.attributes = {{"scale", 2}, {"offsets", {0.5, 1.0}}}})[0];
    const auto y = b.custom(top_k(), {b.relu(z)}, {.attributes = {{"k", 2}}});
    const MLGraph graph = b.build({{"values", y[0]}, {"places", y[1]}, {"z", z}});
    const std::array<float, 8> in = {1, -2, 3, -4, 0, 0, -1, 5};
    std::array<float, 4> values{};
    std::array<std::int32_t, 4> places{};
    std::array<float, 8> scaled{};
    context.compute(graph, {{"x", in}}, {{"values", values}, {"places", places}, {"z", scaled}});
    CHECK(scaled == std::array<float, 8>{-0.5, 5.5, -4.5, 9.5, 1.5, 1.5, 3.5, -8.5});
    CHECK(values == std::array<float, 4>{9.5, 5.5, 3.5, 1.5});
    CHECK(places == std::array<std::int32_t, 4>{3, 1, 2, 0});
  }
}

TEST_CASE("custom operators: tiles run on several threads") {
  MLContext context({.threads = 2});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {1000}});
  const MLGraph graph =
      b.build({{"y", b.custom(scaled_sum(), {x}, {.attributes = {{"scale", 3}}})[0]}});
  std::vector<float> in(1000), out(1000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  context.compute(graph, {{"x", in}}, {{"y", out}});
  for (std::size_t i = 0; i < in.size(); ++i) REQUIRE(out[i] == 3 * in[i]);
  const StepReport step = graph.report().steps.at(0);
  CHECK(step.backend == "custom");
  CHECK(step.kernel == "tiles of 16");
  CHECK(step.tiles == 63);
  CHECK_THAT(graph.explain(), ContainsSubstring("test.ScaledSum"));
  CHECK(context.profile(graph, 3).size() == 1);
}

TEST_CASE("custom operators: what a kernel throws names the operator and the label") {
  const CustomPointer bad =
      custom_operator({.name = "test.Bad",
                       .infer = [](const CustomCall& c) { return std::vector{c.inputs.at(0)}; },
                       .compute =
                           [](const CustomRun& run) {
                             if (run.in<float>(0)[0] > 0) throw std::runtime_error("too large");
                             if (run.in<float>(0)[0] < 0) run.out<std::int32_t>(0);
                             run.out<float>(0)[0] = 7;
                           }});
  MLContext context({.threads = 2});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {1}});
  const MLGraph graph = b.build({{"y", b.custom(bad, {x}, {.label = "here"})[0]}});
  std::array<float, 1> out{};
  const auto failure = [&](float v) {
    return thrown([&] { context.compute(graph, {{"x", std::array<float, 1>{v}}}, {{"y", out}}); });
  };
  CHECK(failure(1) == "OperationError test.Bad [here]: custom compute failed: too large.");
  CHECK_THAT(failure(-1), ContainsSubstring("output 0 is float32, and is read as another type"));
  context.compute(graph, {{"x", std::array<float, 1>{0}}}, {{"y", out}});
  CHECK(out[0] == 7);
}

TEST_CASE("custom operators: a refusal of lower() runs compute(), or ends the build") {
  CustomOperator o = *scaled_sum();
  MLContext context({.threads = 1});
  const auto built = [&](const CustomPointer& op) {
    MLGraphBuilder b(context);
    return b.build({{"y", b.custom(op, {b.input("x", {int32, {4}})}, {.label = "l"})[0]}});
  };
  CHECK(thrown([&] { built(custom_operator(o)); }) ==
        "OperationError build: no backend supports test.ScaledSum [l] (only float32).");
  o.compute = [](const CustomRun& run) {
    std::ranges::copy(run.in<int>(0), run.out<int>().begin());
  };
  CHECK(built(custom_operator(o)).report().steps.at(0).kernel == "compute");
  o.compute = {};
  o.lower = [](const CustomCall&) -> Lowering { throw std::runtime_error("no luck"); };
  CHECK_THAT(thrown([&] { built(custom_operator(o)); }),
             ContainsSubstring("test.ScaledSum [l] (no luck)"));
  o.lower = [](const CustomCall&) { return Candidate{}; };
  CHECK_THAT(thrown([&] { built(custom_operator(o)); }),
             ContainsSubstring("its kernel has no run"));
}

TEST_CASE("custom operators: a backend of the caller may have the kernel") {
  const auto own = own_backend([](Chain chain) -> Lowering {
    if (!chain.front().as<ops::custom>() || chain.size() > 1) return Refusal{"no"};
    return float_kernel(chain, [](float v) { return v + 100; });
  });
  MLContext context({.threads = 1, .backends = {own, "reference"}});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2}});
  const MLGraph graph = b.build({{"y", b.custom(scaled_sum(), {x})[0]}});
  std::array<float, 2> out{};
  context.compute(graph, {{"x", std::array<float, 2>{1, 2}}}, {{"y", out}});
  CHECK(out == std::array<float, 2>{101, 102});
}

TEST_CASE("custom operators: equal uses are one, if they are pure") {
  for (const bool pure : {true, false}) {
    Counted counted(pure);
    MLContext context({.threads = 1});
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {2}});
    const MLOperand first = b.custom(counted.op, {x})[0], second = b.custom(counted.op, {x})[0];
    const MLGraph graph = b.build({{"y", b.concat({first, second}, 0)}});
    std::array<float, 4> out{};
    context.compute(graph, {{"x", std::array<float, 2>{}}}, {{"y", out}});
    CHECK(counted.runs == (pure ? 1 : 2));
    CHECK((out[0] == out[2]) == pure);
  }
}

TEST_CASE("custom operators on constants are computed by build(), if they are pure") {
  for (const bool pure : {true, false}) {
    Counted counted(pure);
    MLContext context({.threads = 1});
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {2}});
    const MLOperand c = b.constant({float32, {2}}, {1.f, 2.f});
    const MLGraph graph = b.build({{"y", b.add(x, b.custom(counted.op, {c})[0])}});
    CHECK(counted.runs == (pure ? 1 : 0));
    std::array<float, 2> out{};
    for (int run = 0; run < 2; ++run)
      context.compute(graph, {{"x", std::array<float, 2>{}}}, {{"y", out}});
    CHECK(counted.runs == (pure ? 1 : 2));
    CHECK(out[0] == (pure ? 1 : 2));
  }
}

TEST_CASE("custom operators keep the data types of their operands") {
  const CustomPointer bits =
      custom_operator({.name = "test.Bits",
                       .infer = [](const CustomCall& c) -> std::vector<MLOperandDescriptor> {
                         if (c.inputs.at(0).dataType != float16)
                           throw std::invalid_argument("only float16");
                         return {c.inputs[0]};
                       },
                       .compute =
                           [](const CustomRun& run) {
                             const auto x = run.in<Float16>(0);
                             std::ranges::copy(x, run.out<Float16>().begin());
                           }});
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float16, {2, 3}});
  const MLOperand y = b.exp(b.custom(bits, {b.add(x, x)})[0]);
  const MLGraph graph = b.build({{"y", y}});
  std::vector<Float16> in(6), out(6);
  context.compute(graph, {{"x", in}}, {{"y", out}});
  for (const Float16 v : out) CHECK(static_cast<float>(v) == 1);
}

TEST_CASE("custom operators stay behind images that passes transpose") {
  const CustomPointer first =
      custom_operator({.name = "test.FirstChannel",
                       .infer = [](const CustomCall& c) -> std::vector<MLOperandDescriptor> {
                         const Dims& s = c.inputs.at(0).shape;
                         return {{float32, {s.at(0), 1, s.at(2), s.at(3)}}};
                       },
                       .compute =
                           [](const CustomRun& run) {
                             const auto x = run.in<float>(0);
                             const auto y = run.out<float>();
                             std::copy_n(x.begin(), y.size(), y.begin());
                           }});
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {1, 2, 3, 3}});
  std::vector<float> weights(8 * 2);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i);
  const MLOperand w = b.constant({float32, {8, 2, 1, 1}}, weights);
  const MLGraph graph = b.build({{"y", b.custom(first, {b.conv2d(x, w)})[0]}});
  std::vector<float> in(18), out(9);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  context.compute(graph, {{"x", in}}, {{"y", out}});
  for (std::size_t i = 0; i < out.size(); ++i) CHECK(out[i] == in[9 + i]);  // 0 and 1
}

TEST_CASE("custom operators of graphs with open dimensions run at each size") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"rows", "columns"}});
  const MLOperand y = b.custom(top_k(), {b.add(x, x)}, {.attributes = {{"k", 2}}})[0];
  const MLGraph graph = b.build({{"y", b.neg(y)}});
  for (const std::uint32_t columns : {2u, 5u, 3u}) {
    std::vector<float> in(3 * columns), out(6);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
    context.compute(graph, {{"x", InputView(in, {3, columns})}}, {{"y", out}});
    for (std::size_t row = 0; row < 3; ++row) {
      const auto last = static_cast<float>((row + 1) * columns - 1);
      CHECK(out[2 * row] == -2 * last);
      CHECK(out[2 * row + 1] == -2 * (last - 1));
    }
  }
}

TEST_CASE("custom operators say sizes of operators on shapes") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const CustomPointer halves =
      custom_operator({.name = "test.Halves",
                       .infer = [](const CustomCall& c) -> std::vector<MLOperandDescriptor> {
                         return {{uint32, c.inputs.at(0).shape}};
                       },
                       .compute =
                           [](const CustomRun& run) {
                             const auto x = run.in<std::uint32_t>(0);
                             std::ranges::transform(x, run.out<std::uint32_t>().begin(),
                                                    [](std::uint32_t v) { return v / 2; });
                           }});
  const MLOperand x = b.input("x", {float32, {"n", 4}});
  const MLOperand half = b.custom(halves, {b.shape(x)})[0];
  const MLOperand starts = b.constant({uint32, {2}}, {0u, 0u});
  const MLGraph graph = b.build({{"y", b.identity(b.sliceDynamic(x, starts, half))}});
  CHECK(graph.computeShapes({{"x", {6, 4}}})[0].descriptor.shape == Dims{3, 2});
  std::vector<float> in(24), out(6);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  context.compute(graph, {{"x", InputView(in, {6, 4})}}, {{"y", out}});
  CHECK(out == std::vector<float>{0, 1, 4, 5, 8, 9});
}

TEST_CASE("custom operators without operands are not computed in advance") {
  std::atomic<int> runs = 0;
  const CustomPointer clock = custom_operator(
      {.name = "test.Clock",
       .infer =
           [](const CustomCall&) {
             return std::vector<MLOperandDescriptor>{{int32, {}}};
           },
       .compute = [&](const CustomRun& run) { run.out<std::int32_t>()[0] = ++runs; },
       .pure = false});
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build({{"y", b.custom(clock, {})[0]}});
  std::array<std::int32_t, 1> out{};
  for (const std::int32_t run : {1, 2}) {
    context.compute(graph, {}, {{"y", out}});
    CHECK(out[0] == run);
  }
}
