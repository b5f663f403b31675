// What slice refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("slice: a start, a size and a stride for each dimension") {
  test::Builder b;
  const MLOperand x = b.x({5, 6});
  CHECK(text(b.slice(b.x({}, int8), {}, {})) == "int8 []");
  b.refuses("slice [s]: the length (1) of starts is not 2.", [&] {
    b.slice(x, {0}, {1, 1}, {.label = "s"});
  });
  b.refuses("slice: the length (1) of sizes is not 2.", [&] { b.slice(x, {0, 0}, {1}); });
  b.refuses("slice: the length (1) of strides is not 2.", [&] {
    b.slice(x, {0, 0}, {1, 1}, {.strides = {1}});
  });
  b.refuses("slice: the length (0) of strides is not 2.", [&] {
    b.slice(x, {0, 0}, {1, 1}, {.strides = {}});
  });
}

TEST_CASE("slice: sizes and strides are not zero") {
  test::Builder b;
  const MLOperand x = b.x({5, 6});
  CHECK(text(b.slice(x, {0, 0}, {1, 6}, {.strides = {2, 4}})) == "float32 [1, 2]");
  b.refuses("slice [s]: sizes[0] is zero.", [&] { b.slice(x, {0}, {0, 1}, {.label = "s"}); });
  b.refuses("slice: strides[1] is zero.", [&] { b.slice(x, {9, 9}, {1, 1}, {.strides = {1, 0}}); });
}

TEST_CASE("slice: the window lies in input") {
  test::Builder b;
  const MLOperand x = b.x({5, 6});
  CHECK(text(b.slice(x, {4, 0}, {1, 6})) == "float32 [1, 6]");
  b.refuses("slice [s]: starts[0] (5) plus sizes[0] (1) is greater than dimension 0 (5) of input.",
            [&] {
              b.slice(x, {5, 0}, {1, 1}, {.label = "s"});
            });
  b.refuses("slice: starts[1] (2) plus sizes[1] (5) is greater than dimension 1 (6) of input.",
            [&] {
              b.slice(x, {0, 2}, {1, 5});
            });
  b.refuses(
      "slice: starts[0] (4294967295) plus sizes[0] (2) is greater than dimension 0 (5) of input.",
      [&] {
        b.slice(x, {4294967295, 0}, {2, 1});
      });
}
