// What transpose refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("transpose: a permutation of the dimensions") {
  test::Builder b;
  const MLOperand x = b.x({2, 3, 4});
  CHECK(text(b.transpose(x)) == "float32 [4, 3, 2]");
  CHECK(text(b.transpose(x, {.permutation = {0, 1, 2}})) == "float32 [2, 3, 4]");
  CHECK(text(b.transpose(x, {.permutation = {2, 0, 1}})) == "float32 [4, 2, 3]");
  CHECK(text(b.transpose(b.x({}, int8), {.permutation = {}})) == "int8 []");
  b.refuses("transpose [t]: the length (2) of permutation is not 3.", [&] {
    b.transpose(x, {.permutation = {0, 1}, .label = "t"});
  });
  b.refuses("transpose: permutation[2] (3) is not less than the rank (3) of input.", [&] {
    b.transpose(x, {.permutation = {0, 1, 3}});
  });
  b.refuses("transpose: permutation[2] (1) occurs twice.", [&] {
    b.transpose(x, {.permutation = {0, 1, 1}});
  });
}
