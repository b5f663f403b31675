// What relu refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("relu: the data types") {
  test::Builder b;
  CHECK(text(b.relu(b.x({2}, int64))) == "int64 [2]");
  b.refuses(
      "relu [r]: the data type (uint32) of input is not one of float32, float16, int32, int64, "
      "int8, bfloat16.",
      [&] { b.relu(b.x({2}, uint32), {.label = "r"}); });
}
