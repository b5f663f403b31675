// Memory that runs out while work is queued, while it runs on the timeline, and while files are
// read: an exception of a documented type or success, and everything goes on afterwards.
#include <future>

#include "tests/faults/operator_new.h"
#include "tests/faults/own_backends.h"
#include "tests/faults/watchdog.h"
#include "tests/support/catch.h"
#include "webnn/webnn.h"
#ifdef WEBNN_TEST_SAFETENSORS
#include "webnn/safetensors.h"
#endif
#ifdef WEBNN_TEST_TFLITE
#include "webnn/tflite.h"
#endif

using namespace webnn;
using test::FailingNew;

namespace {

const std::array<float, 16> x{1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12, 13, -14, 15, -16};

/// Whether a call ended well or with an exception that its documentation names.
bool documented(const std::exception_ptr& failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
  } catch (const Error&) {
  } catch (...) { return false; }
  return true;
}

/// Calls f with a failing allocation at each place in turn until it gets through, then recovers().
template <class F, class R> int each_allocation(bool all, F&& f, R&& recovers) {
  for (int n = 0;; ++n) {
    bool failed = false;
    std::exception_ptr thrown;
    {
      const FailingNew failing(n, all);
      try {
        f();
      } catch (...) { thrown = std::current_exception(); }
      failed = failing.failed();
    }
    INFO("allocation " << n << (all ? " and all after it" : ""));
    REQUIRE(documented(thrown));
    recovers();
    if (!failed) return n;
    REQUIRE(n < 100000);
  }
}

/// A `done` that allocates nothing.
struct Outcome {
  std::atomic<bool> called{false};
  std::exception_ptr failure{};

  void set(std::exception_ptr e) {
    failure = std::move(e);
    called = true;
    called.notify_all();
  }
  /// Only when what was to be called was queued.
  bool wait() {
    called.wait(false);
    return documented(failure);
  }
};

struct Network {
  MLContext context{{.threads = 1, .backends = test::backends_without({"onednn", "xnnpack"})}};
  MLGraph graph = build();
  MLTensor in = context.createTensor({.shape = {16}, .readable = true, .writable = true});
  MLTensor out = context.createTensor({.shape = {16}, .readable = true});

  Network() { check(); }
  MLGraph build() {
    MLGraphBuilder b(context);
    return b.build({{"y", b.neg(b.input("x", {float32, {16}}))}});
  }
  void check() {
    std::array<float, 16> y{};
    context.writeTensor(in, x);
    context.dispatch(graph, {{"x", in}}, {{"y", out}});
    context.readTensor(out, y);
    REQUIRE(y[1] == 2);
    y = {};
    context.compute(graph, {{"x", x}}, {{"y", y}});
    REQUIRE(y[1] == 2);
    context.compute_async(graph, {{"x", x}}, {{"y", y}}).get();
  }
};

/// Runs a function that calls back once, if it has not thrown.
template <class F> void sweep(Network& n, const char* what, F&& start) {
  const test::Watchdog watchdog(what, 240);
  for (const bool all : {false, true})
    each_allocation(
        all,
        [&] {
          Outcome outcome;
          start([&](std::exception_ptr failure) { outcome.set(std::move(failure)); });
          if (!outcome.wait()) throw 42;
        },
        [&] { n.check(); });
}

}  // namespace

TEST_CASE("build_async when memory runs out") {
  Network n;
  sweep(n, "build_async", [&](auto done) {
    MLGraphBuilder b(n.context);
    const MLOperand in = b.input("x", {float32, {1, 1, 4, 4}});
    const std::array<float, 9> w{1, 2, 3, 4, 5, 6, 7, 8, 9};
    const MLOperand y = b.softmax(
        b.reshape(b.relu(b.conv2d(in, b.constant({float32, {1, 1, 3, 3}}, w))), {2, 2}), 1);
    b.build_async({{"y", y}},
                  [done](std::exception_ptr failure, const MLGraph&) { done(failure); });
  });
}

TEST_CASE("compute_async when memory runs out") {
  Network n;
  std::array<float, 16> y{};
  sweep(n, "compute_async", [&](auto done) {
    n.context.compute_async(n.graph, {{"x", x}}, {{"y", y}}, done);
  });
}

TEST_CASE("readTensor_async when memory runs out") {
  Network n;
  sweep(n, "readTensor_async", [&](auto done) {
    n.context.readTensor_async(n.out, [done](std::exception_ptr failure,
                                             const std::optional<Constant>&) { done(failure); });
  });
}

TEST_CASE("dispatch into tensors that are being read, when memory runs out") {
  Network n;
  sweep(n, "dispatch", [&](auto done) {
    std::optional<Constant> held;  // so that the next dispatch needs other memory
    Outcome read;
    n.context.readTensor_async(n.out, [&](std::exception_ptr e, std::optional<Constant> values) {
      held = std::move(values);
      read.set(std::move(e));
    });
    read.wait();
    n.context.dispatch(n.graph, {{"x", n.in}}, {{"y", n.out}});
    std::array<float, 16> y{};
    try {
      n.context.readTensor(n.out, y);
    } catch (const OperationError&) {}
    done(nullptr);
  });
}

TEST_CASE("a job that fails for want of memory says so with an OperationError") {
  Network n;
  bool said = false;
  for (int k = 0; k < 400 && !said; ++k) {
    std::promise<std::exception_ptr> done;
    auto failure = done.get_future();
    MLGraphBuilder b(n.context);
    const NamedOperands outputs{{"y", b.neg(b.input("x", {float32, {16}}))}};
    const FailingNew failing(k, true);
    try {
      b.build_async(outputs, [&](std::exception_ptr e, const MLGraph&) { done.set_value(e); });
    } catch (const std::bad_alloc&) { continue; }
    try {
      const std::exception_ptr e = failure.get();
      if (e) std::rethrow_exception(e);
      break;
    } catch (const OperationError& e) { said = e.reason() == "out of memory"; }
  }
  CHECK(said);
}

#ifdef WEBNN_TEST_SAFETENSORS
TEST_CASE("safetensors when memory runs out") {
  const std::vector<std::byte> file =
      safetensors::write({{"a", {float32, {4, 4}}, x}, {"b", {float32, {16}}, x}}, {{"k", "v"}});
  for (const bool all : {false, true}) {
    each_allocation(
        all,
        [&] {
          const auto f = safetensors::File::from_bytes(file, "a label that is not short at all");
          f.constant("a");
          f.names();
        },
        [] {});
    each_allocation(
        all,
        [&] {
          safetensors::write({{"a", {float32, {4, 4}}, x}}, {{"key", "value"}});
        },
        [] {});
  }
}

#endif
#ifdef WEBNN_TEST_TFLITE
TEST_CASE("tflite import and export when memory runs out") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  const auto network = [&] {
    MLGraphBuilder b(context);
    const MLOperand in = b.input("x", {float32, {1, 4, 4, 1}});
    const std::array<float, 9> w{1, 2, 3, 4, 5, 6, 7, 8, 9};
    const MLOperand y = b.conv2d(in, b.constant({float32, {1, 3, 3, 1}}, w),
                                 {.inputLayout = MLInputOperandLayout::nhwc,
                                  .filterLayout = MLConv2dFilterOperandLayout::ohwi});
    return b.build({{"y", b.softmax(b.reshape(b.relu(y), {2, 2}), 1)}});
  };
  const MLGraph graph = network();
  const std::vector<std::byte> file = tflite::export_model(graph);
  for (const bool all : {false, true}) {
    each_allocation(
        all, [&] { tflite::export_model(graph); }, [] {});
    MLGraphBuilder b(context);  // one for all: it must stay as it was
    each_allocation(
        all,
        [&] {
          tflite::import_model(b, file);
          throw std::bad_alloc();  // and is not built
        },
        [] {});
    const auto model = [&] {
      MLGraphBuilder fresh(context);
      return tflite::import_model(fresh, file).outputs.size();
    }();
    CHECK(model == 1);
  }
}
#endif
