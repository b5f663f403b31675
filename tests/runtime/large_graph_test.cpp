// Time and memory grow with a graph, not with its square, and no depth overflows the stack.
#include <ctime>

#include "src/runtime/arena.h"
#include "src/runtime/overlap.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"

using namespace webnn;

namespace {

/// The time of processors in this process: other work may use the machine.
template <class F> double seconds_of(F&& f) {
  const std::clock_t start = std::clock();
  f();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Ten times the work takes at most forty times as long; with a square it would be a hundred. The
/// fastest of several runs counts, because other work may use the caches.
template <class Small, class Large> void check_linear(Small&& small, Large&& large) {
  double few = 1e9, many = 1e9;
  for (int i = 0; i < 10 && (i < 2 || many >= 40 * std::max(few, 1e-4)); ++i) {
    few = std::min(few, seconds_of(small));
    many = std::min(many, seconds_of(large));
  }
  CHECK(many < 40 * std::max(few, 1e-4));
}
template <class F> void check_linear(F&& f) {
  constexpr int n = 5000;
  check_linear([&] { f(n); }, [&] { f(10 * n); });
}

MLContext& context() {
  static MLContext c({.threads = 2});
  return c;
}

MLGraph additions(int n) {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x", {float32, {4}});
  MLOperand y = x;
  for (int i = 0; i < n; ++i) y = b.add(y, x);
  return b.build({{"y", y}});
}

struct ManyOutputs {
  MLGraph graph;
  std::vector<std::vector<float>> values;
  std::vector<NamedOutput> outputs;

  explicit ManyOutputs(int n) : values(static_cast<std::size_t>(n), std::vector<float>(4)) {
    MLGraphBuilder b(context());
    const MLOperand x = b.input("x", {float32, {4}});
    NamedOperands named;
    for (int i = 0; i < n; ++i)
      named.push_back({"output " + std::to_string(i), b.mul(x, b.constant(float32, i + 0.5))});
    graph = b.build(named);
    for (std::size_t i = 0; i < values.size(); ++i)  // not in the graph's order
      outputs.push_back({graph.outputs()[values.size() - 1 - i].name, values[i]});
  }
};

}  // namespace

TEST_CASE("a chain of many operators is built, printed, run and destroyed") {
  check_linear([](int n) {
    MLGraph g = additions(n);
    CHECK(to_text(g.graph()).size() > static_cast<std::size_t>(n));
    CHECK(g.explain().size() > static_cast<std::size_t>(n));
    const std::array<float, 4> x{1, 2, 3, 4};
    std::array<float, 4> y{};
    context().compute(g, {{"x", x}}, {{"y", y}});
    CHECK(y[1] == 2.f * static_cast<float>(n + 1));
    g = MLGraph();
  });
}

TEST_CASE("many inputs, and operators that read thousands of them") {
  check_linear([](int n) {
    MLGraphBuilder b(context());
    std::vector<MLOperand> parts, all;
    for (int i = 0; i < n; ++i) {
      parts.push_back(b.relu(b.input("input " + std::to_string(i), {float32, {4}})));
      if (parts.size() == 5000) all.push_back(b.concat(std::exchange(parts, {}), 0));
    }
    const MLGraph g = b.build({{"y", b.concat(all, 0)}});
    CHECK(g.inputs().size() == static_cast<std::size_t>(n));
  });
}

TEST_CASE("many outputs are built") {
  check_linear([](int n) { ManyOutputs many(n); });
}

TEST_CASE("a call with many outputs") {
  ManyOutputs small(2000), large(20000);
  const std::array<float, 4> x{1, 2, 3, 4};
  const std::vector<NamedInput> in{{"x", x}};
  check_linear([&] { context().compute(small.graph, in, small.outputs); },
               [&] { context().compute(large.graph, in, large.outputs); });
  CHECK(large.values[19999][0] == 0.5f);
}

TEST_CASE("a result that many operators read, and many results alive at once") {
  check_linear([](int n) {
    MLGraphBuilder b(context());
    const MLOperand x = b.input("x", {float32, {64}});
    std::vector<MLOperand> all;
    for (int i = 0; i < n; ++i) all.push_back(b.sin(b.add(x, b.constant(float32, i))));
    MLOperand sum = all.front();
    for (const MLOperand& y : all) sum = b.add(sum, y);
    const MLGraph g = b.build({{"y", sum}});
    CHECK(g.report().arena_at_least > 0);
  });
}

TEST_CASE("packing of many buffers does not overlap") {
  std::vector<Lifetime> items;
  std::uint32_t state = 1;
  const auto random = [&](int n) {
    state = state * 1664525 + 1013904223;
    return static_cast<int>(state >> 8) % n;
  };
  for (int i = 0; i < 6000; ++i) {
    const int first = random(2000);
    items.push_back({first, first + random(50), static_cast<std::size_t>(1 + random(10000))});
  }
  const Packing p = pack(items, 256);
  for (std::size_t i = 0; i < items.size(); ++i) {
    REQUIRE(p.offsets[i] % 256 == 0);
    REQUIRE(p.offsets[i] + items[i].bytes <= p.bytes);
    for (std::size_t k = 0; k < i; ++k) {
      if (items[i].first > items[k].last || items[k].first > items[i].last) continue;
      REQUIRE((p.offsets[i] + items[i].bytes <= p.offsets[k] ||
               p.offsets[k] + items[k].bytes <= p.offsets[i]));
    }
  }
  CHECK(p.bytes < 2 * p.lower_bound);
}

TEST_CASE("packing of many live buffers takes linear time") {
  check_linear([](int n) {
    std::vector<Lifetime> items;
    for (int i = 0; i < n; ++i) items.push_back({i, n, 256});
    CHECK(pack(items, 256).bytes == 256u * static_cast<std::size_t>(n));
  });
}

TEST_CASE("overlap of memory ranges") {
  std::array<std::byte, 100> m{};
  using Ranges = std::vector<MemoryRange>;
  const auto found = [](Ranges r) {
    const auto pair = find_overlap(r);
    return pair ? std::to_string(pair->first.index) +
                      (pair->second.is_output ? " output " : " input ") +
                      std::to_string(pair->second.index)
                : std::string();
  };
  CHECK(found({{&m[0], 10, 0, false}, {&m[10], 10, 0, true}, {&m[20], 10, 1, true}}) == "");
  CHECK(found({{&m[0], 11, 0, false}, {&m[10], 10, 0, true}}) == "0 input 0");
  CHECK(found({{&m[0], 10, 0, true}, {&m[9], 10, 3, false}}) == "0 input 3");
  CHECK(found({{&m[0], 50, 0, true}, {&m[9], 1, 1, true}}) == "1 output 0");
  CHECK(found({{&m[0], 50, 0, false}, {&m[9], 1, 1, false}}) == "");  // inputs may
  CHECK(found({{&m[0], 50, 0, false}, {&m[9], 1, 1, false}, {&m[40], 5, 2, true}}) == "2 input 0");
  CHECK(found({{&m[5], 5, 0, true}, {&m[5], 5, 0, false}}) == "0 input 0");
}
