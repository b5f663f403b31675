// What the reduction operators refuse, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("reductions: the data types") {
  test::Builder b;
  const MLOperand x = b.x({2}, int8), i = b.x({2}, int32);
  CHECK(text(b.reduceMax(x)) == "int8 []");
  CHECK(text(b.reduceMin(b.x({2}, uint64))) == "uint64 []");
  CHECK(text(b.reduceSumSquare(b.x({2}, uint32))) == "uint32 []");
  b.refuses(
      "reduceSum [r]: the data type (int8) of input is not one of float32, float16, int32, uint32, "
      "int64, uint64, bfloat16.",
      [&] { b.reduceSum(x, {.label = "r"}); });
  b.refuses(
      "reduceL1: the data type (int8) of input is not one of float32, float16, int32, uint32, "
      "int64, uint64, bfloat16.",
      [&] { b.reduceL1(x); });
  b.refuses(
      "reduceProduct: the data type (int8) of input is not one of float32, float16, int32, uint32, "
      "int64, uint64, bfloat16.",
      [&] { b.reduceProduct(x); });
  b.refuses(
      "reduceSumSquare: the data type (int8) of input is not one of float32, float16, int32, "
      "uint32, int64, uint64, bfloat16.",
      [&] { b.reduceSumSquare(x); });
  b.refuses("reduceMean: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.reduceMean(i); });
  b.refuses("reduceL2: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] { b.reduceL2(i); });
  b.refuses(
      "reduceLogSum: the data type (int32) of input is not one of float32, float16, bfloat16.",
      [&] { b.reduceLogSum(i); });
  b.refuses(
      "reduceLogSumExp: the data type (int32) of input is not one of float32, float16, bfloat16.",
      [&] { b.reduceLogSumExp(i); });
}

TEST_CASE("reductions: the axes are below the rank and distinct") {
  test::Builder b;
  const MLOperand x = b.x({2, 3});
  CHECK(text(b.reduceSum(b.x({}))) == "float32 []");
  CHECK(text(b.reduceSum(x, {.axes = {}})) == "float32 [2, 3]");
  CHECK(text(b.reduceMean(x, {.axes = {1, 0}})) == "float32 []");
  CHECK(text(b.reduceMax(x, {.axes = {1}, .keepDimensions = true})) == "float32 [2, 1]");
  CHECK(text(b.reduceMax(x, {.keepDimensions = true})) == "float32 [1, 1]");
  b.refuses("reduceSum [r]: axes[1] (0) occurs twice.", [&] {
    b.reduceSum(x, {.axes = {0, 0}, .label = "r"});
  });
  b.refuses("reduceMin: axes[1] (2) is not less than the rank (2) of input.", [&] {
    b.reduceMin(x, {.axes = {0, 2}});
  });
  b.refuses("reduceL2: axes[0] (0) is not less than the rank (0) of input.",
            [&] { b.reduceL2(b.x({}), {.axes = {0}}); });
}
