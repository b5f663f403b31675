// What expand refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("expand: input broadcasts to the new shape") {
  test::Builder b;
  CHECK(text(b.expand(b.x({}), {2, 3})) == "float32 [2, 3]");
  CHECK(text(b.expand(b.x({1}, uint8), {4})) == "uint8 [4]");
  CHECK(text(b.expand(b.x({}), {})) == "float32 []");
  b.refuses("expand [e]: the shape ([2]) of input does not broadcast to [3].",
            [&] { b.expand(b.x({2}), {3}, {.label = "e"}); });
  b.refuses("expand: the shape ([2, 3]) of input does not broadcast to [3].", [&] {
    b.expand(b.x({2, 3}), {3});
  });
  b.refuses("expand: the shape ([1]) of input does not broadcast to [].",
            [&] { b.expand(b.x({1}), {}); });
  b.refuses("expand: the shape ([2]) of input does not broadcast to [2, 1].", [&] {
    b.expand(b.x({2}), {2, 1});
  });
}

TEST_CASE("expand: the result is a tensor") {
  test::Builder b;
  const MLOperand x = b.x({1});
  b.refuses("expand [e]: dimension 0 (0) of output is not between 1 and 2147483647.",
            [&] { b.expand(x, {0}, {.label = "e"}); });
  b.refuses("expand: dimension 0 (2147483648) of output is not between 1 and 2147483647.",
            [&] { b.expand(x, {1u << 31}); });
  b.refuses("expand: the rank (9) of output is greater than 8.", [&] {
    b.expand(x, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  });
  b.refuses("expand: the number of elements of output ([65536, 65536]) is greater than 2147483647.",
            [&] {
              b.expand(x, {65536, 65536});
            });
}
