// What triangular refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("triangular: input has two dimensions") {
  test::Builder b;
  CHECK(text(b.triangular(b.x({2, 3, 4}), {.diagonal = 100})) == "float32 [2, 3, 4]");
  CHECK(text(b.triangular(b.x({3, 4}, int8), {.upper = false, .diagonal = -2147483648})) ==
        "int8 [3, 4]");
  b.refuses("triangular [t]: the rank (1) of input is less than 2.",
            [&] { b.triangular(b.x({3}), {.label = "t"}); });
  b.refuses("triangular: the rank (0) of input is less than 2.", [&] { b.triangular(b.x({})); });
}
