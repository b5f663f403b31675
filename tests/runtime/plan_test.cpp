// Views instead of copies, memory taken over, and that no value changes while it is needed.
#include <random>

#include "src/graph/graph_data.h"
#include "src/runtime/aliases.h"
#include "src/runtime/graph_state.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"

using namespace webnn;

namespace {

const MLContextOptions alone{.threads = 1, .backends = {"reference"}};
using Floats = std::vector<float>;

Floats counted(std::size_t n) {
  Floats v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i);
  return v;
}
std::size_t steps(const MLGraph& g) { return detail::state_of(g)->plan.steps.size(); }

/// Builds, checks the number of steps, and computes the outputs from 0, 1, 2 ...
std::vector<Floats> run(MLContext& context, MLGraphBuilder& b, const NamedOperands& outputs,
                        std::size_t expected_steps) {
  const MLGraph g = b.build(outputs);
  CHECK(steps(g) == expected_steps);
  std::vector<Floats> in, out;
  std::vector<NamedInput> inputs;
  std::vector<NamedOutput> results;
  for (const auto& [name, d] : g.inputs()) in.push_back(counted(element_count(d.shape)));
  for (const auto& [name, d] : g.outputs()) out.emplace_back(element_count(d.shape));
  for (std::size_t i = 0; i < in.size(); ++i) inputs.push_back({g.inputs()[i].name, in[i]});
  for (std::size_t i = 0; i < out.size(); ++i) results.push_back({g.outputs()[i].name, out[i]});
  context.compute(g, inputs, results);
  return out;
}

}  // namespace

TEST_CASE("views run nothing") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {4, 6}});
  const auto check = [&](const MLOperand& view, Floats expected, std::size_t expected_steps = 1) {
    for (float& v : expected) v = -v;
    CHECK(run(context, b, {{"y", b.neg(view)}}, expected_steps) == std::vector<Floats>{expected});
  };
  SECTION("reshape") { check(b.reshape(x, {2, 12}), counted(24)); }
  SECTION("rows of a slice") { check(b.slice(x, {2, 0}, {1, 6}), {12, 13, 14, 15, 16, 17}); }
  SECTION("part of a row") { check(b.slice(x, {3, 2}, {1, 3}), {20, 21, 22}); }
  SECTION("a slice that is not contiguous") {
    check(b.slice(x, {1, 2}, {2, 2}), {8, 9, 14, 15}, 2);
  }
  SECTION("strides over one row") {
    check(b.slice(x, {1, 0}, {2, 6}, {.strides = {2, 1}}), {6, 7, 8, 9, 10, 11});
  }
  SECTION("strides") { check(b.slice(x, {1, 0}, {1, 6}, {.strides = {1, 3}}), {6, 9}, 2); }
  SECTION("split by rows") {
    check(b.split(x, {1, 2, 1})[1], {6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17});
  }
  SECTION("split by columns") {
    check(b.split(x, 3, {.axis = 1})[1], {2, 3, 8, 9, 14, 15, 20, 21}, 2);
  }
  SECTION("expand that repeats nothing") { check(b.expand(x, {1, 4, 6}), counted(24)); }
  SECTION("views of views") {
    check(b.slice(b.reshape(b.slice(x, {1, 0}, {2, 6}), {12}), {3}, {4}), {9, 10, 11, 12});
  }
}

TEST_CASE("a transposition that moves nothing is a view") {
  MLGraphBuilder b{MLContext(alone)};
  const MLOperand x = b.input("x", {float32, {1, 4, 1, 6}});
  const auto viewed = [&](Dims permutation) {
    const MLOperand y = b.transpose(
        x, {.permutation = {permutation[0], permutation[1], permutation[2], permutation[3]}});
    const Graph g = graph_of(copy(*owner_of(y), {{"y", y}}));
    const auto views = aliases_of(g.node(0));
    return views.size() == 1 && views[0]->offset == 0;
  };
  CHECK(viewed({1, 0, 3, 2}));
  CHECK(viewed({1, 0, 2, 3}));
  CHECK(!viewed({3, 0, 1, 2}));
  CHECK(!viewed({0, 3, 2, 1}));
}

TEST_CASE("views of inputs, constants, results and outputs, as outputs") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {4}});
  SECTION("of an input") {
    CHECK(run(context, b, {{"y", b.reshape(x, {2, 2})}, {"z", b.slice(x, {2}, {2})}}, 2) ==
          std::vector<Floats>{{0, 1, 2, 3}, {2, 3}});
  }
  SECTION("of a constant") {
    const MLOperand c = b.constant({float32, {4}}, {5.f, 6.f, 7.f, 8.f});
    const auto y = run(context, b, {{"y", b.slice(c, {1}, {2})}, {"z", b.add(x, c)}}, 1);
    CHECK(y == std::vector<Floats>{{6, 7}, {5, 7, 9, 11}});
  }
  SECTION("of a result") {
    const MLOperand n = b.neg(x);
    CHECK(run(context, b, {{"y", b.reshape(n, {2, 2})}, {"z", b.relu(b.slice(n, {1}, {1}))}}, 2) ==
          std::vector<Floats>{{0, -1, -2, -3}, {0}});
  }
  SECTION("of a result that others read after it, and before it through views") {
    const MLOperand n = b.neg(x), v = b.abs(b.reshape(n, {1, 4}));
    const MLOperand y = b.reshape(b.reshape(n, {4, 1}), {2, 2});
    CHECK(run(context, b, {{"v", v}, {"y", y}, {"z", b.relu(n)}, {"w", b.neg(y)}}, 4) ==
          std::vector<Floats>{{0, 1, 2, 3}, {0, -1, -2, -3}, {0, 0, 0, 0}, {0, 1, 2, 3}});
  }
  SECTION("two of one result") {
    const MLOperand n = b.neg(x);
    CHECK(run(context, b, {{"y", b.reshape(n, {2, 2})}, {"z", b.reshape(n, {4, 1})}}, 2) ==
          std::vector<Floats>{{0, -1, -2, -3}, {0, -1, -2, -3}});
  }
  SECTION("of a part of a result") {
    const MLOperand n = b.neg(x);
    CHECK(run(context, b, {{"y", b.reshape(b.slice(n, {2}, {2}), {2, 1})}, {"z", b.abs(n)}}, 3) ==
          std::vector<Floats>{{-2, -3}, {0, 1, 2, 3}});
  }
  SECTION("twice the same") {
    const MLOperand n = b.neg(x), y = b.reshape(n, {2, 2});
    CHECK(run(context, b, {{"y", y}, {"z", y}, {"w", b.abs(n)}}, 2) ==
          std::vector<Floats>{{0, -1, -2, -3}, {0, -1, -2, -3}, {0, 1, 2, 3}});
  }
  SECTION("of an output") {
    const MLOperand n = b.neg(x);
    CHECK(run(context, b,
              {{"n", n}, {"y", b.reshape(n, {2, 2})}, {"z", b.abs(b.slice(n, {2}, {2}))}},
              3) == std::vector<Floats>{{0, -1, -2, -3}, {0, -1, -2, -3}, {2, 3}});
  }
  SECTION("one part of a split is an output") {
    const auto parts = b.split(b.neg(x), 2);
    CHECK(run(context, b, {{"y", parts[0]}, {"z", b.abs(parts[1])}}, 3) ==
          std::vector<Floats>{{0, -1}, {2, 3}});
  }
  SECTION("the other part is") {
    const auto parts = b.split(b.neg(x), 2);
    CHECK(run(context, b, {{"y", parts[1]}, {"z", b.abs(parts[0])}}, 3) ==
          std::vector<Floats>{{-2, -3}, {0, 1}});
  }
  SECTION("parts that are not used") {
    const auto parts = b.split(b.neg(x), 4);
    CHECK(run(context, b, {{"z", b.abs(parts[3])}}, 2) == std::vector<Floats>{{3}});
  }
  SECTION("all parts twice") {
    const auto parts = b.split(x, 2);
    CHECK(run(context, b, {{"a", parts[0]}, {"b", parts[1]}, {"c", parts[0]}, {"d", parts[1]}},
              1) == std::vector<Floats>{{0, 1}, {2, 3}, {0, 1}, {2, 3}});
  }
}

TEST_CASE("several results of which some are outputs") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2, 1, 1}});
  const MLOperand w = b.constant({float32, {1, 4, 1}}, {1.f, 1.f, 1.f, 1.f});
  const auto r = b.lstm(x, w, w, 2, 1, {.returnSequence = true});
  REQUIRE(r.size() == 3);
  const auto y = run(context, b, {{"h", r[0]}, {"s", b.neg(r[2])}}, 2);
  CHECK(y[0][0] == -y[1][1]);  // the last state is the last of the sequence
}

TEST_CASE("a chain of element-wise operators works in one place") {
  const auto own = test::own_backend([](Chain chain) -> Lowering {
    if (chain.size() > 1) return Refusal{"one at a time"};
    return test::float_kernel(chain, [](float v) { return v + 1; });
  });
  MLContext context({.threads = 1, .backends = {own}});
  MLGraphBuilder b(context);
  MLOperand y = b.input("x", {float32, {1000}});
  for (int i = 0; i < 10; ++i) y = b.relu(y);
  const MLGraph g = b.build({{"y", y}});
  const Plan& plan = detail::state_of(g)->plan;
  CHECK(plan.packing.bytes <= 4096);
  for (std::size_t i = 1; i + 1 < plan.steps.size(); ++i) {
    CHECK(plan.steps[i].inputs[0].kind == Location::Kind::arena);
    CHECK(plan.steps[i].inputs[0].offset == plan.steps[i].outputs[0].offset);
  }
  const Floats x(1000, 1.f);
  Floats z(1000);
  context.compute(g, {{"x", x}}, {{"y", z}});
  CHECK(z == Floats(1000, 11.f));
}

// Random element-wise graphs whose kernels take over whatever they may, against the same graphs
// computed value by value here.
TEST_CASE("no value changes while somebody still needs it") {
  const auto own = test::own_backend([](Chain chain) -> Lowering {
    if (chain.size() > 1) return Refusal{"one at a time"};
    const std::size_t n = element_count(chain[0].output().shape());
    if (chain[0].as<ops::add>() || chain[0].as<ops::sub>()) {
      const float sign = chain[0].as<ops::add>() ? 1.f : -1.f;
      return Candidate{.name = "binary",
                       .in_place = {0, 1},
                       .run = [n, sign](Range, const Buffers& b, std::byte*) {
                         for (std::size_t i = 0; i < n; ++i)
                           b.out<float>()[i] = b.in<float>()[i] + sign * b.in<float>(1)[i];
                       }};
    }
    if (!chain[0].as<ops::neg>()) return Refusal{"add, sub and neg"};
    return test::float_kernel(chain, [](float v) { return -v; });
  });
  std::mt19937 random(5);
  std::size_t taken = 0;
  for (int round = 0; round < 300; ++round) {
    MLContext context({.threads = 1, .backends = {own, "reference"}});
    MLGraphBuilder b(context);
    std::vector<MLOperand> values{b.input("p", {float32, {8}}), b.input("q", {float32, {8}}),
                                  b.constant({float32, {8}}, counted(8))};
    std::vector<Floats> exact{counted(8), {1, -1, 2, -2, 3, -3, 4, -4}, counted(8)};
    const int operators = 3 + static_cast<int>(random() % 25);
    for (int i = 0; i < operators; ++i) {
      const auto pick = [&] {
        const std::size_t n = values.size();
        return random() % 3 ? n - 1 - random() % std::min<std::size_t>(n, 4) : random() % n;
      };
      const std::size_t p = pick(), q = pick();
      Floats v(8);
      MLOperand y;
      switch (random() % 7) {
        case 0:
          y = b.neg(values[p]);
          for (std::size_t k = 0; k < 8; ++k) v[k] = -exact[p][k];
          break;
        case 1:
          y = b.sub(values[p], values[q]);
          for (std::size_t k = 0; k < 8; ++k) v[k] = exact[p][k] - exact[q][k];
          break;
        case 2:  // a view between two rows
          y = b.reshape(b.reshape(values[p], {2, 4}), {8});
          v = exact[p];
          break;
        case 3: {  // a part of two of them, which are read later too
          y = b.slice(b.concat({values[p], values[q]}, 0), {3}, {8});
          for (std::size_t k = 0; k < 8; ++k) v[k] = k < 5 ? exact[p][k + 3] : exact[q][k - 5];
          break;
        }
        case 4: {  // two parts that share memory, exchanged
          const auto halves = b.split(values[p], 2);
          y = b.concat({halves[1], halves[0]}, 0);
          for (std::size_t k = 0; k < 8; ++k) v[k] = exact[p][(k + 4) % 8];
          break;
        }
        default:
          y = b.add(values[p], values[q]);
          for (std::size_t k = 0; k < 8; ++k) v[k] = exact[p][k] + exact[q][k];
      }
      values.push_back(y);
      exact.push_back(v);
    }
    NamedOperands outputs;
    std::vector<std::size_t> which{values.size() - 1};
    for (int i = 0; i < 2; ++i) which.push_back(3 + random() % (values.size() - 3));
    for (std::size_t i : which)
      outputs.push_back({"y" + std::to_string(outputs.size()), values[i]});
    const MLGraph g = b.build(outputs);
    for (const Step& s : detail::state_of(g)->plan.steps)
      for (const Location& in : s.inputs)
        taken += in.kind == Location::Kind::arena && s.outputs[0].kind == Location::Kind::arena &&
                 in.offset == s.outputs[0].offset;
    std::vector<Floats> y(which.size(), Floats(8));
    std::vector<NamedInput> in;
    std::vector<NamedOutput> out;
    for (const auto& [name, d] : g.inputs()) in.push_back({name, exact[name == "p" ? 0 : 1]});
    for (std::size_t i = 0; i < y.size(); ++i) out.push_back({outputs[i].name, y[i]});
    context.compute(g, in, out);
    for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(y[i] == exact[which[i]]);
  }
  CHECK(taken > 100);  // or the test would say nothing
}
