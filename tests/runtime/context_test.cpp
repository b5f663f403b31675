// MLContext: options, environment, loss.
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/environment.h"
#include "tests/support/thrown.h"

using namespace webnn;
using test::Env;
using test::thrown;

TEST_CASE("threads") {
  CHECK(MLContext({.threads = 3}).threads() == 3);
  CHECK(thrown([] { MLContext({.threads = -1}); }) ==
        "TypeError MLContext: threads (-1) is not between 0 and 1024.");
  CHECK(thrown([] { MLContext({.threads = 1025}); }) ==
        "TypeError MLContext: threads (1025) is not between 0 and 1024.");
  {
    const Env env("WEBNN_NUM_THREADS", "5");
    CHECK(MLContext().threads() == 5);
    CHECK(MLContext({.threads = 2}).threads() == 2);  // the caller knows better
  }
  for (const char* bad : {"0", "-1", "1025", "two", "2x", "99999999999"}) {
    const Env env("WEBNN_NUM_THREADS", bad);
    CHECK(thrown([] { MLContext(); }) == "TypeError MLContext: WEBNN_NUM_THREADS (" +
                                             std::string(bad) +
                                             ") is not a number between 1 and 1024.");
  }
  const Env env("WEBNN_NUM_THREADS", "");
  CHECK(MLContext().threads() >= 1);
}

TEST_CASE("backends by name, from the environment, and of the caller's own") {
  using Names = std::vector<std::string>;
  CHECK(MLContext({.threads = 1, .backends = {"reference"}}).backends() == Names{"reference"});
  CHECK(thrown([] { MLContext({.backends = {"cuda"}}); })
            .starts_with("NotSupportedError MLContext: there is no backend \"cuda\"; this build "
                         "has "));
  CHECK(thrown([] {
          MLContext({.backends = {"reference", "Reference"}});
        }).starts_with("NotSupportedError MLContext: there is no backend \"Reference\""));
  CHECK(thrown([] { MLContext({.backends = {std::shared_ptr<const Backend>()}}); }) ==
        "TypeError MLContext: backends[0] is null.");
  const auto own = test::own_backend(test::refuse, "mine");
  CHECK(MLContext({.threads = 1, .backends = {own, "reference"}}).backends() ==
        Names{"mine", "reference"});
  {
    const Env env("WEBNN_BACKENDS", " reference ,, reference");
    CHECK(MLContext({.threads = 1}).backends() == Names{"reference", "reference"});
    CHECK(MLContext({.threads = 1, .backends = {own}}).backends() == Names{"mine"});
  }
  {
    const Env env("WEBNN_BACKENDS", "reference,nothing");
    CHECK(thrown([] {
            MLContext();
          }).starts_with("NotSupportedError MLContext: there is no backend \"nothing\""));
  }
  const Env env("WEBNN_BACKENDS", "");
  CHECK(MLContext({.threads = 1}).backends().back() == "reference");
}

TEST_CASE("a thread pool of the caller's") {
  struct Empty final : ThreadPool {
    explicit Empty(int n) : n_(n) {}
    int threads() const override { return n_; }
    void run(void (*)(void*, int), void*) override {}
    int n_;
  };
  for (int n : {0, -3, 1025, 1 << 30})
    CHECK(thrown([n] { MLContext({.threadPool = std::make_shared<Empty>(n)}); }) ==
          "TypeError MLContext: the threads of the pool (" + std::to_string(n) +
              ") are not between 1 and 1024.");
  CHECK(
      MLContext({.threads = 9, .threadPool = std::make_shared<test::SequentialPool>()}).threads() ==
      4);
}

TEST_CASE("acceleration") {
  CHECK(MLContext({.threads = 1}).accelerated());
  CHECK(!MLContext({.accelerated = false, .threads = 1}).accelerated());
  CHECK(!MLContext({.deviceType = MLDeviceType::cpu, .threads = 1}).accelerated());
  CHECK(MLContext({.accelerated = false, .deviceType = MLDeviceType::gpu, .threads = 1})
            .accelerated());
}

TEST_CASE("a lost context") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build({{"y", b.relu(b.input("x", {float32, {2}}))}});
  const MLTensor x = context.createTensor({.shape = {2}, .readable = true, .writable = true});
  const MLTensor y = context.createTensor({.shape = {2}, .readable = true});
  std::array<float, 2> v{1, 2}, w{};
  context.writeTensor(x, v);
  context.dispatch(graph, {{"x", x}}, {{"y", y}});
  CHECK(!context.lost());
  const MLContext same = context;
  context.destroy();
  context.destroy();
  CHECK(same.lost());
  CHECK(thrown([&] {
          context.createTensor({float32, {2}});
        }) == "InvalidStateError createTensor: the context is lost.");
  CHECK(thrown([&] {
          context.createTensor({float32, {0}});
        }) == "InvalidStateError createTensor: the context is lost.");
  CHECK(thrown([&] {
          context.createConstantTensor({float32, {2}}, v);
        }) == "InvalidStateError createConstantTensor: the context is lost.");
  CHECK(thrown([&] { context.dispatch(graph, {}, {}); }) ==
        "InvalidStateError dispatch: the graph is destroyed.");
  CHECK(thrown([&] {
          context.compute(graph, {{"x", v}}, {{"y", w}});
        }) == "InvalidStateError compute: the graph is destroyed.");
  CHECK(thrown([&] {
          context.compute_async(graph, {{"x", v}}, {{"y", w}});
        }) == "InvalidStateError compute_async: the graph is destroyed.");
  CHECK(thrown([&] { context.profile(graph); }) ==
        "InvalidStateError profile: the graph is destroyed.");
  CHECK(thrown([&] { context.profile_async(graph); }) ==
        "InvalidStateError profile: the graph is destroyed.");
  CHECK(thrown([&] { context.writeTensor(x, v); }) ==
        "TypeError writeTensor: the tensor is destroyed.");
  CHECK(thrown([&] { context.readTensor(y, w); }) ==
        "TypeError readTensor: the tensor is destroyed.");
  CHECK(graph.outputs().size() == 1);  // what it is can still be asked
  CHECK(y.shape() == Dims{2});
}

TEST_CASE("a context lost while a graph is compiled") {
  std::optional<MLContext> context;
  const auto own = test::own_backend([&](Chain chain) -> Lowering {
    context->destroy();
    return test::float_kernel(chain, [](float v) { return v; });
  });
  context.emplace(MLContextOptions{.threads = 1, .backends = {own}});
  MLGraphBuilder b(*context);
  const MLOperand y = b.relu(b.input("x", {float32, {2}}));
  CHECK(thrown([&] { b.build({{"y", y}}); }) == "InvalidStateError build: the context is lost.");
}
