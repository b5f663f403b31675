// What destroy() gives back, and what a context keeps.
#include "tests/runtime/own_backend.h"
#include "tests/support/allocated.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::allocated;

namespace {

/// Bytes that say when the last handle to them is gone.
struct Watched {
  std::shared_ptr<std::vector<float>> owner;
  std::weak_ptr<std::vector<float>> alive;

  explicit Watched(std::size_t n) : owner(std::make_shared<std::vector<float>>(n, 0.5f)) {
    alive = owner;
  }
  Constant constant() {
    auto c = Constant(owner, std::as_bytes(std::span(*owner)));
    owner.reset();
    return c;
  }
};

constexpr std::uint32_t size = 512;
constexpr std::int64_t megabyte = 1 << 20;

MLGraph product(MLContext& context, Constant weights) {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {size, size}});
  return b.build({{"y", b.tanh(b.matmul(b.sin(x), b.constant({float32, {size, size}}, weights)))}});
}

}  // namespace

TEST_CASE("destroy() of a graph frees its weights, kernels and arena at once") {
  MLContext context({.threads = 1});
  product(context, Watched(size * size).constant());  // what backends keep for themselves
  Watched weights(size * size);
  const std::int64_t before = allocated();
  MLGraph g = product(context, weights.constant());
  CHECK(allocated() - before >= megabyte);
  MLGraph copy = g;
  g.destroy();
  CHECK(weights.alive.expired());
  CHECK(allocated() - before < megabyte / 4);
  copy.destroy();
  CHECK(copy.inputs().size() == 1);
  CHECK_THROWS_AS(copy.graph(), InvalidStateError);
  CHECK_THROWS_AS(copy.optimized(), InvalidStateError);
  CHECK_THROWS_AS(copy.explain(), InvalidStateError);
  CHECK_THROWS_AS(copy.report(), InvalidStateError);
}

TEST_CASE("destroy() of a tensor frees its memory at once, or after what is queued") {
  test::Gate gate;
  MLContext context({.threads = 1, .backends = {test::gated_backend(gate), "reference"}});
  MLGraphBuilder b(context);
  MLGraph g = b.build({{"y", b.relu(b.input("x", {float32, {size, size}}))}});
  const auto tensor = [&] {
    return context.createTensor({.shape = {size, size}, .readable = true, .writable = true});
  };
  const std::int64_t empty = allocated();
  MLTensor unused = tensor();
  CHECK(allocated() - empty >= megabyte);
  unused.destroy();
  CHECK(allocated() - empty < megabyte / 4);
  unused.destroy();
  MLTensor x = tensor(), y = tensor();
  context.dispatch(g, {{"x", x}}, {{"y", y}});
  gate.await_visitor();
  x.destroy();
  g.destroy();
  CHECK_THROWS_AS(context.writeTensor(x, std::vector<float>(size * size)), TypeError);
  CHECK(allocated() - empty >= 2 * megabyte);
  gate.open();
  std::vector<float> values(size * size);
  context.readTensor(y, values);
  CHECK(allocated() - empty < 2 * megabyte + megabyte / 2);  // y, and the values here
  y.destroy();
}

TEST_CASE("destroy() of a context frees the memory of its graphs and tensors") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  const std::int64_t empty = allocated();
  Watched weights(size * size);
  const MLGraph g = product(context, weights.constant());
  std::vector<MLTensor> tensors;
  for (int i = 0; i < 8; ++i) tensors.push_back(context.createTensor({.shape = {size, size}}));
  CHECK(allocated() - empty >= 8 * megabyte);
  context.destroy();
  CHECK(weights.alive.expired());
  CHECK(allocated() - empty < megabyte / 2);
}

TEST_CASE("a constant tensor that is destroyed frees its values") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  const std::vector<float> values(size * size, 1.f);
  const std::int64_t empty = allocated();
  MLTensor t = context.createConstantTensor({float32, {size, size}}, values);
  CHECK(allocated() - empty >= megabyte);
  t.destroy();
  CHECK(allocated() - empty < megabyte / 4);
}

TEST_CASE("a context keeps little of many writes that were queued at once") {
  test::Gate gate;
  MLContext context({.threads = 1, .backends = {test::gated_backend(gate), "reference"}});
  MLGraphBuilder b(context);
  const MLGraph g = b.build({{"y", b.relu(b.input("x", {float32, {4}}))}});
  const MLTensor x = context.createTensor({.shape = {4}}), y = context.createTensor({.shape = {4}});
  const std::uint32_t quarter = size * size / 4;
  const MLTensor t = context.createTensor({.shape = {quarter}, .readable = true, .writable = true});
  std::vector<float> values(quarter);
  const std::int64_t empty = allocated();
  context.dispatch(g, {{"x", x}}, {{"y", y}});
  for (int i = 0; i < 300; ++i) context.writeTensor(t, values);
  CHECK(allocated() - empty > 60 * megabyte);
  gate.open();
  context.readTensor(t, values);
  CHECK(allocated() - empty < 8 * megabyte);
}

TEST_CASE("folding constants is bounded in total") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  const std::uint32_t n = 4 << 20;  // 16 MB
  const std::int64_t before = allocated();
  MLGraphBuilder b(context);
  const MLOperand c = b.constant({float32, {n}}, std::vector<float>(n, 0.5f));
  NamedOperands outputs;
  for (int i = 0; i < 30; ++i)
    outputs.emplace_back("y" + std::to_string(i), b.sin(b.linear(c, {.alpha = 1.0 + i})));
  const MLGraph g = b.build(outputs);
  // The constant, and at most as much again and 64 MB; the arena holds what is left to compute.
  std::int64_t constants = 0;
  for (std::size_t i = 0; i < g.optimized().operand_count(); ++i)
    if (const Constant* x = g.optimized().operand(i).constant())
      constants += static_cast<std::int64_t>(x->bytes().size());
  CHECK(constants <= 112 * megabyte);
  CHECK(allocated() - before < 300 * megabyte);
}

TEST_CASE("constants that double again and again are not folded") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  MLOperand x = b.constant({float32, {1024}}, std::vector<float>(1024, 0.5f));
  for (int i = 0; i < 15; ++i) x = b.concat({x, x}, 0);  // 128 MB
  const MLGraph g = b.build({{"y", b.slice(x, {0}, {16})}});
  for (std::size_t i = 0; i < g.optimized().operand_count(); ++i)
    if (const Constant* c = g.optimized().operand(i).constant())
      CHECK(c->bytes().size() <= 65u << 20);
}

TEST_CASE("many operators that each grow a constant a little") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLOperand c = b.constant(float32, 0.5);
  std::vector<MLOperand> all;
  for (std::uint32_t i = 0; i < 200; ++i)
    all.push_back(b.reduceSum(b.expand(c, {1, 200000 + i}), {.axes = {1}}));
  const MLGraph g = b.build({{"y", b.concat(all, 0)}});
  std::vector<float> y(200);
  context.compute(g, {}, {{"y", y}});
  CHECK(y[0] == 100000);
  CHECK(y[199] == 100099.5);
}

TEST_CASE("constants that folding leaves without readers are dropped") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {64, 64}});
  const MLOperand w = b.constant({float32, {64, 64}}, std::vector<float>(4096, 0.5f));
  const MLGraph g = b.build({{"y", b.matmul(x, b.transpose(b.neg(w)))}});
  std::size_t constants = 0;
  for (std::size_t i = 0; i < g.optimized().operand_count(); ++i)
    constants += g.optimized().operand(i).constant() != nullptr;
  CHECK(constants == 1);
}
