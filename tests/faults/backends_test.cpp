// Backends that break their contract in ways that the library can notice.
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const OperationError& e) { return e.what(); }
  return {};
}

MLGraph relu(MLContext& context) {
  MLGraphBuilder b(context);
  return b.build({{"y", b.relu(b.input("x", {float32, {8}}))}});
}

}  // namespace

TEST_CASE("a backend that throws what is no exception refuses") {
  MLContext context({.backends = {test::own_backend([](Chain) -> Lowering { throw 42; })}});
  CHECK(message_of([&] { relu(context); }) ==
        "build: no backend supports relu (own: its lower() threw an exception that is not a "
        "std::exception).");
  MLContext second(
      {.backends = {test::own_backend([](Chain) -> Lowering { throw 42; }), "reference"}});
  CHECK(relu(second).report().steps[0].backend == "reference");
}

TEST_CASE("a kernel that throws what is no exception") {
  const auto own = test::own_backend([](Chain chain) {
    Candidate k = test::float_kernel(chain, [](float v) { return v; });
    k.run = [](Range, const Buffers&, std::byte*) { throw 42; };
    return k;
  });
  MLContext context({.threads = 2, .backends = {own}});
  const MLGraph g = relu(context);
  const std::array<float, 8> x{};
  std::array<float, 8> y{};
  for (int i = 0; i < 5; ++i) {
    CHECK(message_of([&] {
            context.compute(g, {{"x", x}}, {{"y", y}});
          }) == "relu: own test failed: unknown failure.");
    CHECK_THROWS_AS(context.compute_async(g, {{"x", x}}, {{"y", y}}).get(), OperationError);
  }
}

TEST_CASE("a backend with numbers that cannot be is refused") {
  const std::pair<void (*)(Candidate&), const char*> wrong[] = {
      {[](Candidate& k) { k.tiles = 0; }, "tiles (0)"},
      {[](Candidate& k) { k.tiles = -5; }, "tiles (-5)"},
      {[](Candidate& k) { k.rounds = 0; }, "rounds (0)"},
      {[](Candidate& k) { k.scratch = SIZE_MAX; }, "scratch"},
      {[](Candidate& k) { k.shared = SIZE_MAX; }, "shared"},
      {[](Candidate& k) { k.in_place = {1}; }, "input 1"},
      {[](Candidate& k) { k.run = nullptr; }, "no run"},
  };
  for (const auto& [spoil, word] : wrong) {
    MLContext context({.backends = {test::own_backend([spoil = spoil](Chain chain) {
                         Candidate k = test::float_kernel(chain, [](float v) { return v; });
                         spoil(k);
                         return k;
                       })}});
    CHECK(message_of([&] { relu(context); }).find(word) != std::string::npos);
  }
}
