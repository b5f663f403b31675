// What matmul refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("matmul: the data types and ranks") {
  test::Builder b;
  const MLOperand x = b.x({2, 3});
  b.refuses("matmul [m]: the data type (int32) of a is not one of float32, float16, bfloat16.",
            [&] {
              b.matmul(b.x({2, 3}, int32), x, {.label = "m"});
            });
  b.refuses("matmul: the rank (1) of a is less than 2.", [&] { b.matmul(b.x({3}), x); });
  b.refuses("matmul: the data type (float16) of b is not that of a (float32).", [&] {
    b.matmul(x, b.x({3, 3}, float16));
  });
  b.refuses("matmul: the rank (1) of b is less than 2.", [&] { b.matmul(x, b.x({3})); });
}

TEST_CASE("matmul: the columns of a are the rows of b") {
  test::Builder b;
  const MLOperand x = b.x({2, 3});
  CHECK(text(b.matmul(x, b.x({3, 5}))) == "float32 [2, 5]");
  b.refuses("matmul [m]: the columns (3) of a are not the rows (2) of b.",
            [&] { b.matmul(x, x, {.label = "m"}); });
}

TEST_CASE("matmul: the batches broadcast") {
  test::Builder b;
  CHECK(text(b.matmul(b.x({2, 1, 3, 4}), b.x({5, 4, 6}))) == "float32 [2, 5, 3, 6]");
  b.refuses("matmul [m]: the batch dimensions of a ([2]) and b ([3]) do not broadcast.", [&] {
    b.matmul(b.x({2, 3, 4}), b.x({3, 4, 6}), {.label = "m"});
  });
}
