// What argMin and argMax refuse, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("argMin, argMax: input has a dimension") {
  test::Builder b;
  const MLOperand scalar = b.x({});
  b.refuses("argMin [least]: the rank (0) of input is less than 1.",
            [&] { b.argMin(scalar, 0, {.label = "least"}); });
  b.refuses("argMax: the rank (0) of input is less than 1.", [&] { b.argMax(scalar, 0); });
}

TEST_CASE("argMin, argMax: the axis is below the rank") {
  test::Builder b;
  const MLOperand x = b.x({3, 1}, uint64);
  CHECK(text(b.argMin(x, 1)) == "int32 [3]");
  CHECK(text(b.argMax(x, 1, {.keepDimensions = true})) == "int32 [3, 1]");
  CHECK(text(b.argMax(b.x({7}), 0)) == "int32 []");
  b.refuses("argMin [least]: axis (2) is not less than the rank (2) of input.",
            [&] { b.argMin(x, 2, {.label = "least"}); });
  b.refuses("argMax: axis (2) is not less than the rank (2) of input.",
            [&] { b.argMax(x, 2, {.outputDataType = uint32}); });
}

TEST_CASE("argMin, argMax: positions are int32 or int64") {
  test::Builder b;
  const MLOperand x = b.x({3, 1});
  CHECK(text(b.argMin(x, 0, {.outputDataType = int64})) == "int64 [1]");
  b.refuses("argMin [i]: outputDataType (uint32) is not a data type of output.",
            [&] { b.argMin(x, 0, {.outputDataType = uint32, .label = "i"}); });
  b.refuses("argMax: outputDataType (float32) is not a data type of output.",
            [&] { b.argMax(x, 0, {.outputDataType = float32}); });
}
