// What resample2d refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("resample2d: the data types and ranks") {
  test::Builder b;
  CHECK(text(b.resample2d(b.x({1, 2, 3, 4}, uint8))) == "uint8 [1, 2, 3, 4]");
  b.refuses(
      "resample2d [r]: the data type (int32) of input is not one of float32, float16, int8, uint8, "
      "bfloat16.",
      [&] {
        b.resample2d(b.x({1, 2, 3, 4}, int32), {.label = "r"});
      });
  b.refuses("resample2d: the rank (3) of input is not 4.", [&] { b.resample2d(b.x({2, 3, 4})); });
}

TEST_CASE("resample2d: two scales greater than zero") {
  test::Builder b;
  const MLOperand x = b.x({1, 2, 3, 4});
  CHECK(text(b.resample2d(x, {.scales = {2, 0.5}})) == "float32 [1, 2, 6, 2]");
  b.refuses("resample2d [r]: scales[0] (0) is not greater than 0.", [&] {
    b.resample2d(x, {.scales = {0, 1}, .label = "r"});
  });
  b.refuses("resample2d: scales[1] (-1) is not greater than 0.", [&] {
    b.resample2d(x, {.scales = {1, -1}, .sizes = {1, 1}});
  });
  b.refuses("resample2d: the length (1) of scales is not 2.",
            [&] { b.resample2d(x, {.scales = {2}}); });
  b.refuses("resample2d: scales[0] (nan) is not finite.", [&] {
    b.resample2d(x, {.scales = {NAN, 1}});
  });
  b.refuses("resample2d: scales[1] (inf) is not finite.", [&] {
    b.resample2d(x, {.scales = {1, INFINITY}});
  });
  b.refuses("resample2d: dimension 3 (0) of output is not between 1 and 2147483647.", [&] {
    b.resample2d(x, {.scales = {1, 0.2f}});
  });
  b.refuses(
      "resample2d: dimension 2 (1000000000000000000) of output is not between 1 and 2147483647.",
      [&] {
        b.resample2d(x, {.scales = {3e38f, 1}});
      });
}

TEST_CASE("resample2d: two sizes greater than zero") {
  test::Builder b;
  const MLOperand x = b.x({1, 2, 3, 4});
  CHECK(text(b.resample2d(x, {.scales = {9, 9}, .sizes = {5, 7}})) == "float32 [1, 2, 5, 7]");
  b.refuses("resample2d [r]: the length (1) of sizes is not 2.",
            [&] { b.resample2d(x, {.sizes = {5}, .axes = {}, .label = "r"}); });
  b.refuses("resample2d: sizes[0] is zero.", [&] { b.resample2d(x, {.sizes = {0, 1}}); });
  b.refuses("resample2d: dimension 3 (2147483648) of output is not between 1 and 2147483647.", [&] {
    b.resample2d(x, {.sizes = {1, 1u << 31}});
  });
}

TEST_CASE("resample2d: two different axes below 4") {
  test::Builder b;
  const MLOperand x = b.x({1, 2, 3, 4});
  CHECK(text(b.resample2d(x, {.sizes = {5, 7}, .axes = {3, 2}})) == "float32 [1, 2, 7, 5]");
  CHECK(text(b.resample2d(x, {.scales = {3, 2}, .axes = {0, 3}})) == "float32 [3, 2, 3, 8]");
  b.refuses("resample2d [r]: axes[1] (1) occurs twice.", [&] {
    b.resample2d(x, {.axes = {1, 1}, .label = "r"});
  });
  b.refuses("resample2d: axes[1] (4) is not less than the rank (4) of input.", [&] {
    b.resample2d(x, {.axes = {2, 4}});
  });
  b.refuses("resample2d: the length (1) of axes is not 2.",
            [&] { b.resample2d(x, {.axes = {1}}); });
  b.refuses("resample2d: the length (3) of axes is not 2.", [&] {
    b.resample2d(x, {.axes = {0, 1, 2}});
  });
}
