// What elu refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("elu: the data types") {
  test::Builder b;
  CHECK(text(b.elu(b.x({}, float16))) == "float16 []");
  b.refuses("elu [e]: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.elu(b.x({2}, int32), {.label = "e"}); });
}

TEST_CASE("elu: alpha is finite") {
  test::Builder b;
  const MLOperand x = b.x({2});
  CHECK(text(b.elu(x, {.alpha = -1})) == "float32 [2]");
  b.refuses("elu [e]: alpha (inf) is not finite.",
            [&] { b.elu(x, {.alpha = INFINITY, .label = "e"}); });
  b.refuses("elu: alpha (nan) is not finite.", [&] { b.elu(x, {.alpha = NAN}); });
}
