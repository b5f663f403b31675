// What softsign refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("softsign: the data types") {
  test::Builder b;
  CHECK(text(b.softsign(b.x({2, 3}, float16))) == "float16 [2, 3]");
  b.refuses(
      "softsign [s]: the data type (int64) of input is not one of float32, float16, bfloat16.",
      [&] { b.softsign(b.x({2}, int64), {.label = "s"}); });
}
