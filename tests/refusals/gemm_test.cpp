// What gemm refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("gemm: the data types and ranks") {
  test::Builder b;
  const MLOperand x = b.x({2, 3}), y = b.x({3, 4});
  b.refuses("gemm [fc]: the data type (int32) of a is not one of float32, float16, bfloat16.", [&] {
    b.gemm(b.x({2, 3}, int32), y, {.label = "fc"});
  });
  b.refuses("gemm: the data type (float16) of b is not that of a (float32).", [&] {
    b.gemm(x, b.x({3, 4}, float16));
  });
  b.refuses("gemm: the rank (1) of a is not 2.", [&] { b.gemm(b.x({3}), y); });
  b.refuses("gemm: the rank (3) of b is not 2.", [&] { b.gemm(x, b.x({1, 3, 4})); });
  b.refuses("gemm: the data type (float16) of c is not that of a (float32).",
            [&] { b.gemm(x, y, {.c = b.x({4}, float16)}); });
  b.refuses("gemm: the rank (3) of c is greater than 2.", [&] {
    b.gemm(x, y, {.c = b.x({1, 2, 4})});
  });
}

TEST_CASE("gemm: the columns of a are the rows of b") {
  test::Builder b;
  const MLOperand x = b.x({2, 3}), y = b.x({4, 3});
  CHECK(text(b.gemm(x, y, {.bTranspose = true})) == "float32 [2, 4]");
  CHECK(text(b.gemm(x, x, {.aTranspose = true})) == "float32 [3, 3]");
  b.refuses("gemm [fc]: the columns (3) of a are not the rows (4) of b.",
            [&] { b.gemm(x, y, {.label = "fc"}); });
  b.refuses("gemm: the columns (2) of a are not the rows (4) of b.",
            [&] { b.gemm(x, y, {.aTranspose = true}); });
}

TEST_CASE("gemm: c broadcasts to the result") {
  test::Builder b;
  const MLOperand x = b.x({2, 3}), y = b.x({3, 4});
  for (const Dims& shape : {Dims{}, {1}, {4}, {2, 1}, {1, 4}, {2, 4}, {1, 1}})
    CHECK(text(b.gemm(x, y, {.c = b.x(shape)})) == "float32 [2, 4]");
  b.refuses("gemm [fc]: the shape ([2]) of c does not broadcast to [2, 4].",
            [&] { b.gemm(x, y, {.c = b.x({2}), .label = "fc"}); });
  b.refuses("gemm: the shape ([4, 2]) of c does not broadcast to [2, 4].", [&] {
    b.gemm(x, y, {.c = b.x({4, 2})});
  });
}

TEST_CASE("gemm: alpha and beta are finite") {
  test::Builder b;
  const MLOperand x = b.x({2, 2});
  b.refuses("gemm [fc]: alpha (nan) is not finite.",
            [&] { b.gemm(x, x, {.alpha = NAN, .label = "fc"}); });
  b.refuses("gemm: beta (-inf) is not finite.", [&] { b.gemm(x, x, {.beta = -INFINITY}); });
}
