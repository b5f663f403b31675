// Steps that do not depend on each other, for which threads wait at once.
#include <algorithm>
#include <numeric>

#include "src/runtime/graph_state.h"
#include "tests/support/catch.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

std::vector<float> numbers(std::size_t n, std::uint32_t seed) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<float>(static_cast<int>((i * 7919 + seed * 104729) % 2003) - 1001) / 700;
  return v;
}

constexpr std::uint32_t k = 192;

struct Net {
  explicit Net(const MLContext& context) : b(context) {}
  MLGraphBuilder b;

  MLOperand product(const MLOperand& x, std::uint32_t n, std::uint32_t seed) {
    return b.gemm(x, b.constant({float32, {k, n}}, numbers(std::size_t{k} * n, seed)));
  }
  /// int4 in blocks of 32.
  MLOperand small_product(const MLOperand& x, std::uint32_t n, std::uint32_t seed) {
    std::vector<std::byte> w(std::size_t{k} * n / 2);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<std::byte>(i * (37 + 2 * seed));
    const Dims blocks{k / 32, n};
    const MLOperand scales =
        b.constant({float32, blocks}, std::vector<float>(element_count(blocks), 0.01f));
    const MLOperand zeros =
        b.constant({int4, blocks}, std::vector<std::byte>(element_count(blocks) / 2));
    return b.gemm(x, b.dequantizeLinear(b.constant({int4, {k, n}}, w), scales, zeros));
  }
};

/// Queries, keys and values, each with something behind it, so that they do not follow one another.
MLOperand projections(Net& net, std::uint32_t rows, bool small) {
  const MLOperand in = net.b.input("x", {float32, {rows, k}});
  const MLOperand x = net.b.softmax(in, 1);
  const auto one = [&](std::uint32_t n, std::uint32_t seed) {
    return net.b.softmax(small ? net.small_product(x, n, seed) : net.product(x, n, seed), 1);
  };
  return net.b.concat({net.b.mul(one(256, 1), one(256, 2)), one(384, 3)}, 1);
}

std::vector<bool> joins(const MLGraph& g, std::string_view op) {
  std::vector<bool> all;
  for (const Step& s : detail::state_of(g)->plan.steps)
    if (std::ranges::any_of(s.choice.chain, [&](const Node& n) { return n.name() == op; }))
      all.push_back(s.joins);
  return all;
}

std::vector<float> computed(MLContext& context, const MLGraph& g, std::uint32_t rows) {
  std::vector<float> x = numbers(std::size_t{rows} * k, 9), y(std::size_t{rows} * 640);
  context.compute(g, {{"x", x}}, {{"y", y}});
  return y;
}

}  // namespace

TEST_CASE("step groups: products of the same operand follow one another, and threads wait once") {
  for (const bool small : {false, true})
    for (const auto accuracy : {AccuracyLevel::float32, AccuracyLevel::int8})
      for (const std::uint32_t rows : {1u, 8u}) {
        CAPTURE(small, int(accuracy), rows);
        std::vector<float> expected;
        for (const std::uint32_t threads : {1u, 2u, 3u}) {
          MLContext context({.threads = static_cast<int>(threads), .accuracyLevel = accuracy});
          Net net(context);
          const MLGraph g = net.b.build({{"y", projections(net, rows, small)}});
          const std::vector<bool> products = joins(g, "gemm");
          CHECK(products == std::vector<bool>{false, true, true});
          for (int run = 0; run < 20; ++run) {
            const std::vector<float> y = computed(context, g, rows);
            if (expected.empty()) expected = y;
            CHECK(y == expected);
          }
        }
      }
}

TEST_CASE("step groups: steps in a group have parts of the shared memory and of the arena") {
  MLContext context({.threads = 2, .accuracyLevel = AccuracyLevel::int8});
  Net net(context);
  const MLGraph g = net.b.build({{"y", projections(net, 8, true)}});
  const Plan& plan = detail::state_of(g)->plan;
  std::size_t first = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& s = plan.steps[i];
    if (!s.joins) first = i;
    CHECK(s.shared_at + s.choice.kernel->shared <= plan.shared);
    for (std::size_t other = first; other < i; ++other) {
      const Step& o = plan.steps[other];
      if (s.choice.kernel->shared > 0 && o.choice.kernel->shared > 0)
        CHECK(o.shared_at + o.choice.kernel->shared <= s.shared_at);
      for (const Location& y : s.outputs)
        for (const Location& x : o.outputs)
          CHECK((x.kind != y.kind || x.index != y.index || x.offset != y.offset));
    }
  }
}

TEST_CASE("step groups: a step waits for what it reads, and for readers of what it writes") {
  MLContext context({.threads = 2});
  Net net(context);
  MLOperand x = net.b.softmax(net.b.input("x", {float32, {64, k}}), 1);
  for (std::uint32_t i = 0; i < 4; ++i) x = net.b.softmax(net.product(x, k, i), 1);
  const MLGraph g = net.b.build({{"y", x}});
  for (const Step& s : detail::state_of(g)->plan.steps) CHECK(!s.joins);
}

TEST_CASE("step groups: steps that write outputs wait for those that read inputs") {
  MLContext context({.threads = 2});
  Net net(context);
  const MLOperand x = net.b.input("x", {float32, {64, k}});
  const MLGraph g = net.b.build({{"y", net.product(x, 256, 1)}, {"z", net.product(x, 256, 2)}});
  for (const Step& s : detail::state_of(g)->plan.steps) CHECK(!s.joins);
}
