// What reverse refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("reverse: the axes are below the rank and distinct") {
  test::Builder b;
  const MLOperand x = b.x({2, 3}, uint64);
  CHECK(text(b.reverse(x)) == "uint64 [2, 3]");
  CHECK(text(b.reverse(x, {.axes = {}})) == "uint64 [2, 3]");
  CHECK(text(b.reverse(b.x({}))) == "float32 []");
  b.refuses("reverse [r]: axes[1] (1) occurs twice.", [&] {
    b.reverse(x, {.axes = {1, 1}, .label = "r"});
  });
  b.refuses("reverse: axes[0] (2) is not less than the rank (2) of input.",
            [&] { b.reverse(x, {.axes = {2}}); });
}
