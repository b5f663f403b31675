// One form of each constant after build, weights that several graphs share, and limits.
#include <thread>

#include "src/kernels/backends.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/allocated.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using test::allocated, test::thrown;

namespace {

constexpr std::uint32_t size = 512;
constexpr std::size_t bytes = std::size_t{size} * size * 4;

std::vector<float> values(float factor = 1) {
  std::vector<float> v(std::size_t{size} * size);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = factor * static_cast<float>(i % 13) - 6;
  return v;
}

MLGraph product(MLContext& context, const std::vector<float>& w, std::uint32_t rows = 4,
                const char* label = "") {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {rows, size}});
  return b.build({{"y", b.matmul(x, b.constant({float32, {size, size}}, w), {.label = label})}});
}

std::vector<float> run(MLContext& context, const MLGraph& g, std::uint32_t rows) {
  const std::vector<float> x(rows * size, 0.25f);
  std::vector<float> y(rows * size);
  context.compute(g, {{"x", x}}, {{"y", y}});
  return y;
}

const Constant& constant_of(const Graph& g) {
  for (std::size_t i = 0; i < g.operand_count(); ++i)
    if (const Constant* c = g.operand(i).constant()) return *c;
  throw std::logic_error("no constant");
}

bool has(const std::string& backend) {
  const auto built = backend_names();
  return std::find(built.begin(), built.end(), backend) != built.end();
}

}  // namespace

TEST_CASE("the operands of a builder do not keep what its graph drops") {
  MLContext context({.threads = 1});
  product(context, values());
  const std::int64_t before = allocated();
  MLGraphBuilder b(context);
  const MLOperand w = b.constant({float32, {size, size}}, values());
  const MLOperand small = b.constant({float32, {size}}, std::vector<float>(size));
  const MLOperand x = b.input("x", {float32, {4, size}});
  const NamedOperands outputs{{"y", b.add(b.matmul(x, w), small)}};
  const MLGraph g = GENERATE(false, true) ? b.build(outputs) : b.build_async(outputs).get();
  CHECK(allocated() - before < static_cast<std::int64_t>(bytes + bytes / 4));
  CHECK(w.constant()->released());
  CHECK(w.shape() == Dims{size, size});
  CHECK(small.constant()->bytes().size() == 4 * size);
  CHECK_THROWS_AS(b.relu(w), InvalidStateError);
}

TEST_CASE("the operands of a builder keep their constants until it has built, or with an option") {
  MLGraphBuilder b(MLContext({.threads = 1}));
  const MLOperand w = b.constant({float32, {size, size}}, values());
  CHECK_THROWS_AS(b.build({}), TypeError);
  CHECK(w.constant()->bytes().size() == bytes);
  MLGraphBuilder keeps(MLContext({.threads = 1, .keepConstants = true}));
  const MLOperand kept = keeps.constant({float32, {size, size}}, values());
  const MLGraph g =
      keeps.build({{"y", keeps.matmul(keeps.input("x", {float32, {4, size}}), kept)}});
  CHECK(kept.constant()->bytes().size() == bytes);
}

TEST_CASE("a constant that kernels have packed is released") {
  for (const std::string backend : {"simd", "onednn"}) {
    if (!has(backend)) continue;
    INFO(backend);
    MLContext context({.threads = 1, .backends = {backend, "reference"}});
    product(context, values());  // what backends keep for themselves
    const std::int64_t before = allocated();
    const MLGraph g = product(context, values());
    CHECK(g.memory().packed >= bytes);
    CHECK(g.memory().constants == 0);
    CHECK(allocated() - before < static_cast<std::int64_t>(bytes + bytes / 4));
    const Constant& c = constant_of(g.graph());
    CHECK(c.released());
    CHECK(thrown([&] { c.bytes(); }).find("keepConstants") != std::string::npos);
    CHECK(constant_of(g.optimized()).released());
    CHECK(run(context, g, 4) == run(context, product(context, values()), 4));
    CHECK(to_text(g.graph()).find("constant") != std::string::npos);
  }
}

TEST_CASE("a constant that a kernel reads as it is stays, and so does one of the caller") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  const MLGraph g = product(context, values());
  CHECK(g.memory().packed == 0);
  CHECK(g.memory().constants == bytes);
  CHECK(constant_of(g.graph()).bytes().size() == bytes);

  MLContext fast({.threads = 1});
  auto owner = std::make_shared<std::vector<float>>(values());
  MLGraphBuilder b(fast);
  const MLOperand w =
      b.constant({float32, {size, size}}, Constant(owner, std::as_bytes(std::span(*owner))));
  const MLGraph h = b.build({{"y", b.matmul(b.input("x", {float32, {4, size}}), w)}});
  CHECK(constant_of(h.graph()).bytes().data() == reinterpret_cast<std::byte*>(owner->data()));
  CHECK(h.memory().constants == 0);
}

TEST_CASE("keepConstants keeps all constants") {
  MLContext context({.threads = 1, .keepConstants = true});
  const MLGraph g = product(context, values());
  CHECK(constant_of(g.graph()).bytes().size() == bytes);
  CHECK(g.memory().constants == bytes);
}

TEST_CASE("a constant that is also an output, or has another reader, stays") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand w = b.constant({float32, {size, size}}, values());
  const MLOperand x = b.input("x", {float32, {4, size}}), i = b.input("i", {int32, {2}});
  const MLGraph g = b.build({{"y", b.matmul(x, w)}, {"z", b.gather(w, i)}, {"w", b.identity(w)}});
  CHECK(g.memory().constants >= bytes);
  const std::vector<float> in(4 * size, 1.f);
  const std::vector<std::int32_t> rows{3, 511};
  std::vector<float> y(4 * size), z(2 * size), all(bytes / 4);
  context.compute(g, {{"x", in}, {"i", rows}}, {{"y", y}, {"z", z}, {"w", all}});
  CHECK(all == values());
  CHECK(std::equal(z.begin(), z.begin() + size, all.begin() + 3 * size));
}

TEST_CASE("copies that folding makes are released too") {
  MLContext context({.threads = 1});
  const std::int64_t before = allocated();
  MLGraph g;
  {
    MLGraphBuilder b(context);
    const MLOperand w = b.transpose(b.neg(b.constant({float32, {size, size}}, values())));
    g = b.build({{"y", b.matmul(b.input("x", {float32, {4, size}}), w)}});
  }
  CHECK(g.memory().constants == 0);
  CHECK(allocated() - before < static_cast<std::int64_t>(bytes + bytes / 2));
}

TEST_CASE("graphs that pack the same weights share them") {
  if (!has("simd")) return;
  const std::vector<float> w = values(2);
  MLContext context({.threads = 1}), other({.threads = 2});
  MLGraph a = product(context, w);
  CHECK(a.memory().shared == 0);
  const std::int64_t before = allocated();
  {
    const MLGraph b = product(other, w, 1);  // one row: the same layout
    const MLGraph c = product(context, w, 64);
    CHECK(allocated() - before < static_cast<std::int64_t>(bytes));
    for (const MLGraph& g : {a, b, c}) CHECK(g.memory().shared >= bytes);
    const auto one = run(other, b, 1), all = run(context, c, 64);
    for (std::size_t i = 0; i < size; ++i) CHECK(std::abs(one[i] - all[i]) < 1e-3f);
    CHECK(a.explain().find("shared with other graphs") != std::string::npos);
  }
  CHECK(a.memory().shared == 0);
  const MLGraph unlike = product(context, values(3));
  CHECK(unlike.memory().shared == 0);
  a.destroy();
  CHECK_THROWS_AS(a.memory(), InvalidStateError);
}

TEST_CASE("weights that one graph uses twice count once") {
  if (!has("simd")) return;
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand w = b.constant({float32, {size, size}}, values(4));
  const MLOperand x = b.input("x", {float32, {4, size}});
  const MLGraph g = b.build({{"y", b.matmul(b.sin(b.matmul(x, w)), w)}});
  CHECK(g.memory().packed < bytes + bytes / 2);
}

TEST_CASE("threads that build the same network at once") {
  const std::vector<float> w = values(5);
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  const float expected = [&] {
    MLContext context({.threads = 1});
    return run(context, product(context, w), 4)[1];
  }();
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      MLContext context({.threads = 1});
      for (int i = 0; i < 10; ++i) {
        MLGraph g = product(context, w);
        good += run(context, g, 4)[1] == expected;
        if (i % 2) g.destroy();
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(good == 40);
}

TEST_CASE("memoryLimit refuses a build and names the largest parts") {
  if (!has("simd")) return;
  MLContext context({.threads = 1, .backends = {"simd", "reference"}, .memoryLimit = 3 << 20});
  MLGraph a = product(context, values(6));
  const MLGraph b = product(context, values(7));
  const std::string message = thrown([&] { product(context, values(8), 4, "head"); });
  INFO(message);
  CHECK(message.find("OperationError") != std::string::npos);
  CHECK(message.find("memoryLimit (3.1 MB)") != std::string::npos);
  CHECK(message.find("the other graphs of the context 2.1 MB") != std::string::npos);
  CHECK(message.find("[head]") != std::string::npos);
  product(context, values(6), 4);  // shared
  a.destroy();
  const MLGraph c = product(context, values(8));
  MLContext small({.threads = 1, .memoryLimit = 1 << 20});
  MLGraphBuilder builder(small);
  const MLOperand x = builder.input("x", {float32, {1 << 20}});
  CHECK(thrown([&] {
          builder.build({{"y", builder.sin(builder.softsign(x))}});
        }).find("intermediate results 4.2 MB") != std::string::npos);
}

TEST_CASE("a backend that wants to pack an input it does not have, or one that is not constant") {
  const int input = GENERATE(1, -1, 0);
  const auto own = test::own_backend([&](Chain chain) -> Lowering {
    Candidate k = test::float_kernel(chain, [](float v) { return v; });
    k.weights = {{.bytes = 4, .inputs = {input}}};
    return k;
  });
  MLContext context({.threads = 1, .backends = {own}});
  MLGraphBuilder b(context);
  CHECK(thrown([&] {
          b.build({{"y", b.relu(b.input("x", {float32, {4}}))}});
        })
            .find(input ? "packs input " + std::to_string(input) + " of 1"
                        : "packs input 0, which is not constant") != std::string::npos);
}
