#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "tests/support/random_cases.h"

namespace webnn::inline v0_1::test {
namespace {

const Backend& onednn() {
  static const auto backend = onednn_backend();
  return *backend;
}

/// With an epilogue, which may be one that is refused.
void check_epilogue(const KernelCase& c) {
  const std::string reason = refusal(onednn(), c);
  if (reason.find("is not exact enough") == std::string::npos) check(onednn(), c);
}

}  // namespace

TEST_CASE("onednn: gemm") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    check(onednn(), random_gemm(seed, {.transposed_a = true}));
    check(onednn(), random_gemm(seed, {.constant_b = false, .transposed_a = true}));
  }
}

TEST_CASE("onednn: gemm with an epilogue") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    check_epilogue(random_gemm(seed, {.transposed_a = true, .epilogue = true}));
    check_epilogue(random_gemm(seed, {.constant_b = false, .epilogue = true}));
  }
}

TEST_CASE("onednn: matmul") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    check(onednn(), random_matmul(seed, {}));
    check(onednn(), random_matmul(seed, {.constant_b = false}));
    check_epilogue(random_matmul(seed, {.constant_b = seed % 2 == 0, .epilogue = true}));
  }
}

TEST_CASE("onednn: activations that lose a NaN or digits are left to others") {
  const auto reason = [](auto activation) {
    return refusal(onednn(), KernelCase([&](MLGraphBuilder& b) {
                     const MLOperand x = b.input("x", {float32, {4, 8}});
                     return activation(b, b.matmul(x, b.input("w", {float32, {8, 4}})));
                   }));
  };
  CHECK(reason([](auto& b, auto x) { return b.sigmoid(x); }) == "its sigmoid is not exact enough");
  CHECK(reason([](auto& b, auto x) { return b.elu(x); }) == "its elu is not exact enough");
  CHECK(reason([](auto& b, auto x) { return b.gelu(x); }) == "its gelu is not exact enough");
  CHECK(reason([](auto& b, auto x) { return b.leakyRelu(x, {.alpha = 0}); }) ==
        "its leakyRelu is not exact enough");
  CHECK(reason([](auto& b, auto x) { return b.leakyRelu(x, {.alpha = 0.1}); }) == "");
  CHECK(reason([](auto& b, auto x) { return b.tanh(x); }) == "");
}

TEST_CASE("onednn: a product of an operand with itself") {
  check(onednn(), KernelCase([](MLGraphBuilder& b) {
          const MLOperand x = b.input("x", {float32, {3, 20, 20}});
          return b.matmul(x, x);
        }));
}

TEST_CASE("onednn: large products are cut into tiles of columns, of rows and of batches") {
  const std::vector<std::pair<Dims, Dims>> shapes{
      {{1, 512}, {512, 2048}}, {{600, 64}, {64, 80}}, {{12, 64, 32}, {12, 32, 96}}};
  for (const auto& shape : shapes) {
    const KernelCase c([&](MLGraphBuilder& b) {
      return b.matmul(b.input("a", {float32, shape.first}), b.input("b", {float32, shape.second}));
    });
    const Lowering l = c.lower(onednn());
    REQUIRE(std::holds_alternative<Candidate>(l));
    const int tiles = std::get<Candidate>(l).tiles;
    CHECK(tiles >= 3);
    CHECK(tiles <= 8);
    check(onednn(), c);
  }
}

}  // namespace webnn::inline v0_1::test
