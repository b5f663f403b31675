#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "tests/support/random_cases.h"

namespace webnn::inline v0_1::test {
namespace {

const Backend& xnnpack() {
  static const auto backend = xnnpack_backend();
  return *backend;
}

}  // namespace

TEST_CASE("xnnpack: gemm with constant weights") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    check(xnnpack(), random_gemm(seed, {.plain_c = true}));
    check(xnnpack(), random_gemm(seed, {.plain_c = true, .epilogue = true, .only_clamps = true}));
  }
}

TEST_CASE("xnnpack: gemm with any operands, where it is lowered") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    check_if_taken(xnnpack(), random_gemm(seed, {.transposed_a = true}));
    check_if_taken(xnnpack(), random_gemm(seed, {.constant_b = false}));
  }
}

TEST_CASE("xnnpack: matmul with constant weights") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    check(xnnpack(), random_matmul(seed, {.plain_c = true}));
    check_if_taken(xnnpack(), random_matmul(seed, {}));
    check_if_taken(xnnpack(), random_matmul(seed, {.constant_b = false}));
  }
}

TEST_CASE("xnnpack: large products are cut into tiles of columns and of rows") {
  Random r(3);
  for (const auto& [rows, columns] : {std::pair{1u, 2048u}, {600u, 48u}}) {
    const KernelCase c([&, m = rows, n = columns](MLGraphBuilder& b) {
      return b.matmul(b.input("a", {float32, {m, 512}}), r.constant(b, {512, n}));
    });
    const Lowering l = c.lower(xnnpack());
    REQUIRE(std::holds_alternative<Candidate>(l));
    CHECK(std::get<Candidate>(l).tiles >= 3);
    CHECK(std::get<Candidate>(l).tiles <= 8);
    check(xnnpack(), c);
  }
}

}  // namespace webnn::inline v0_1::test
