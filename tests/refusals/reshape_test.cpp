// What reshape refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("reshape: every dimension is valid") {
  test::Builder b;
  const MLOperand x = b.x({6});
  CHECK(text(b.reshape(x, {2, 3})) == "float32 [2, 3]");
  b.refuses("reshape [r]: newShape[1] (0) is not between 1 and 2147483647.", [&] {
    b.reshape(x, {6, 0}, {.label = "r"});
  });
  b.refuses("reshape: newShape[0] (2147483648) is not between 1 and 2147483647.",
            [&] { b.reshape(x, {1u << 31}); });
  b.refuses("reshape: the rank (9) of output is greater than 8.", [&] {
    b.reshape(x, {1, 1, 1, 1, 1, 1, 1, 1, 6});
  });
}

TEST_CASE("reshape: the number of elements remains") {
  test::Builder b;
  const MLOperand x = b.x({6});
  CHECK(text(b.reshape(b.x({1}, int8), {})) == "int8 []");
  CHECK(text(b.reshape(b.x({}), {1, 1})) == "float32 [1, 1]");
  b.refuses(
      "reshape [r]: the number of elements of newShape ([4]) is not that of the shape ([6]) of "
      "input.",
      [&] { b.reshape(x, {4}, {.label = "r"}); });
  b.refuses(
      "reshape: the number of elements of newShape ([]) is not that of the shape ([6]) of input.",
      [&] { b.reshape(x, {}); });
  b.refuses(
      "reshape: the number of elements of newShape ([65536, 65536, 65536, 65536, 6]) is not that "
      "of the shape ([6]) of input.",
      [&] {
        b.reshape(x, {65536, 65536, 65536, 65536, 6});
      });
}
