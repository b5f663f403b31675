// Memory that runs out at any allocation: an exception, no leak, and a context that goes on.
#include "tests/faults/operator_new.h"
#include "tests/faults/own_backends.h"
#include "tests/support/catch.h"
#include "webnn/webnn.h"

using namespace webnn;
using test::alive;
using test::FailingNew;

namespace {

const std::array<float, 16> x{1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12, 13, -14, 15, -16};
const std::vector<float> weights(16, 0.25f);

MLOperand operators(MLGraphBuilder& b) {
  const MLOperand in =
      b.input("an input with a name that does not fit into a string", {float32, {1, 1, 4, 4}});
  const MLOperand w = b.constant({float32, {4, 1, 2, 2}}, weights);
  MLOperand y = b.conv2d(in, w, {.padding = {0, 1, 0, 1}, .label = "a label, long enough as well"});
  y = b.relu(b.add(y, b.identity(b.constant(float32, 0.5))));
  const auto parts = b.split(y, 2, {.axis = 1});
  y = b.concat({parts[1], b.neg(parts[0])}, 1);
  return b.softmax(b.reshape(y, {4, 16}), 1);
}
const std::vector<BackendChoice>& ours() {
  static const auto list = test::backends_without({"onednn", "xnnpack"});
  return list;
}
MLGraph build(MLGraphBuilder& b) {
  return b.build({{"an output with quite a long name", operators(b)}});
}

void compute(MLContext& context, const MLGraph& g) {
  std::array<float, 64> y{};
  context.compute(g, {{g.inputs()[0].name, x}}, {{g.outputs()[0].name, y}});
}

/// Calls f with a failing allocation at each place in turn until it gets through. Returns how
/// often it failed. `kept`: allocations that a context may keep for the next time.
template <class F> int each_allocation(bool all, F&& f, std::int64_t kept = 0) {
  for (int n = 0;; ++n) {
    bool failed = false, threw = false, right = true;
    const auto before = alive();
    {
      const FailingNew failing(n, all);
      try {
        f();
      } catch (const std::bad_alloc&) { threw = true; } catch (const OperationError&) {
        threw = true;
      } catch (const UnknownError&) { threw = true; } catch (...) {
        threw = true;
        right = false;
      }
      failed = failing.failed();
    }
    const auto after = alive();
    INFO("allocation " << n);
    REQUIRE(right);
    REQUIRE((!failed || threw || !all));  // std::stable_sort does without its buffer
    REQUIRE(after <= before + kept);
    if (!failed) return n;
    REQUIRE(n < 100000);
  }
}

}  // namespace

TEST_CASE("contexts, builders, operators and graphs") {
  {  // what is made once for all
    MLContext context({.threads = 2, .backends = ours()});
    MLGraphBuilder b(context);
    compute(context, build(b));
  }
  for (const bool all : {false, true})
    CHECK(each_allocation(all, [] {
            MLContext context({.threads = 1, .backends = ours()});
            MLGraphBuilder b(context);
            build(b);
          }) > 100);
}

TEST_CASE("build throws OperationError, and the context goes on") {
  MLContext context({.threads = 1, .backends = ours()});
  {
    MLGraphBuilder b(context);
    compute(context, build(b));
  }
  int failures = 0;
  for (int n = 0;; ++n) {
    MLGraphBuilder b(context);
    const MLOperand y = operators(b);
    const NamedOperands outputs{{"y", y}};
    bool operation_error = false, other = false, failed = false;
    {
      const FailingNew failing(n);
      try {
        b.build(outputs);
      } catch (const OperationError&) { operation_error = true; } catch (...) {
        other = true;
      }
      failed = failing.failed();
    }
    INFO("allocation " << n);
    REQUIRE(!other);
    if (!failed) break;
    failures += operation_error;
    REQUIRE(failures >= n);  // std::stable_sort does without its buffer
    if (n % 50 == 0) {
      MLGraphBuilder again(context);
      compute(context, build(again));
    }
  }
  CHECK(failures > 100);
}

TEST_CASE("an operator that runs out of memory leaves the builder usable") {
  MLContext context({.threads = 1, .backends = ours()});
  int failures = 0;
  for (int n = 0;; ++n) {
    MLGraphBuilder b(context);
    const MLOperand in = b.input("x", {float32, {1, 1, 4, 4}});
    bool failed = false;
    {
      const FailingNew failing(n);
      try {
        const auto parts = b.split(in, 2, {.axis = 2});
        b.concat({parts[1], b.neg(parts[0])}, 2);
        b.input("a second one with a rather long name", {float32, {2, 2}});
      } catch (const std::bad_alloc&) { ++failures; }
      failed = failing.failed();
    }
    const MLGraph g = b.build({{"y", b.relu(in)}});
    std::array<float, 16> y{};
    context.compute(g, {{"x", x}}, {{"y", y}});
    REQUIRE(y[2] == 3);
    REQUIRE(g.inputs().size() == 1);
    if (!failed) break;
  }
  CHECK(failures > 20);
}

TEST_CASE("tensors and the timeline") {
  MLContext context({.threads = 1, .backends = ours()});
  MLGraphBuilder b(context);
  const MLGraph g = b.build({{"y", b.neg(b.input("x", {float32, {16}}))}});
  const MLTensor t = context.createTensor({.shape = {16}, .writable = true});
  const MLTensor u = context.createTensor({.shape = {16}, .readable = true});
  std::array<float, 16> y{};
  context.dispatch(g, {{"x", t}}, {{"y", u}});
  context.readTensor(u, y);  // its thread is there
  for (const bool all : {false, true})
    each_allocation(
        all,
        [&] {
          MLTensor fresh =
              context.createTensor({.shape = {16}, .readable = true, .writable = true});
          context.createConstantTensor({float32, {16}}, x);
          context.writeTensor(fresh, x);
          context.readTensor(fresh);
        },
        8);
  for (const bool all : {false, true})
    for (int n = 0;; ++n) {
      bool failed = false;
      {
        const FailingNew failing(n, all);
        try {
          for (int i = 0; i < 40; ++i) {
            context.writeTensor(t, x);
            context.dispatch(g, {{"x", t}}, {{"y", u}});
          }
          context.compute_async(g, {{"x", x}}, {{"y", y}}, [](std::exception_ptr) {});
        } catch (const std::bad_alloc&) {
        } catch (const Error&) {}
        failed = failing.failed();
      }
      context.writeTensor(t, x);
      context.dispatch(g, {{"x", t}}, {{"y", u}});
      context.readTensor(u, y);
      REQUIRE(y[1] == 2);
      if (!failed) break;
    }
}
