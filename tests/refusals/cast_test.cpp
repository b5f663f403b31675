// What cast refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("cast: to any of the eight types") {
  test::Builder b;
  const MLOperand x = b.x({2, 3});
  CHECK(text(b.cast(x, float32)) == "float32 [2, 3]");
  CHECK(text(b.cast(b.x({}, uint8), int64)) == "int64 []");
  b.refuses("cast [c]: dataType (int4) is not a data type of output.",
            [&] { b.cast(x, int4, {.label = "c"}); });
  b.refuses("cast: dataType (uint4) is not a data type of output.", [&] { b.cast(x, uint4); });
  b.refuses("cast: dataType (200) is not an enumerator.",
            [&] { b.cast(x, static_cast<MLOperandDataType>(200)); });
}
