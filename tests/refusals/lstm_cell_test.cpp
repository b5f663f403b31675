// What lstmCell refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("lstmCell: the data types and ranks") {
  test::Builder b;
  const MLOperand x = b.x({2, 3}), w = b.x({16, 3}), r = b.x({16, 4}), h = b.x({2, 4});
  b.refuses(
      "lstmCell [c]: the data type (uint8) of input is not one of float32, float16, bfloat16.",
      [&] {
        b.lstmCell(b.x({2, 3}, uint8), w, r, h, h, 4, {.label = "c"});
      });
  b.refuses("lstmCell: the rank (3) of weight is not 2.", [&] {
    b.lstmCell(x, b.x({1, 16, 3}), r, h, h, 4);
  });
  b.refuses("lstmCell: the data type (float16) of cellState is not that of input (float32).", [&] {
    b.lstmCell(x, w, r, h, b.x({2, 4}, float16), 4);
  });
  b.refuses("lstmCell: the rank (2) of peepholeWeight is not 1.", [&] {
    b.lstmCell(x, w, r, h, h, 4, {.peepholeWeight = b.x({1, 12})});
  });
}

TEST_CASE("lstmCell: the shapes") {
  test::Builder b;
  const MLOperand x = b.x({2, 3}), w = b.x({16, 3}), r = b.x({16, 4}), h = b.x({2, 4}),
                  c = b.x({16});
  CHECK(text(b.lstmCell(x, w, r, h, h, 4,
                        {.bias = c, .recurrentBias = c, .peepholeWeight = b.x({12})})) ==
        "float32 [2, 4]; float32 [2, 4]");
  b.refuses("lstmCell [c]: the shape ([16, 3]) of weight is not [12, 3].",
            [&] { b.lstmCell(x, w, r, h, h, 3, {.label = "c"}); });
  b.refuses("lstmCell: the shape ([16, 3]) of recurrentWeight is not [16, 4].",
            [&] { b.lstmCell(x, w, w, h, h, 4); });
  b.refuses("lstmCell: the shape ([2, 3]) of hiddenState is not [2, 4].",
            [&] { b.lstmCell(x, w, r, x, x, 4); });
  b.refuses("lstmCell: the shape ([2, 3]) of cellState is not [2, 4].",
            [&] { b.lstmCell(x, w, r, h, x, 4); });
  b.refuses("lstmCell: the shape ([12]) of bias is not [16].",
            [&] { b.lstmCell(x, w, r, h, h, 4, {.bias = b.x({12})}); });
  b.refuses("lstmCell: the shape ([12]) of recurrentBias is not [16].",
            [&] { b.lstmCell(x, w, r, h, h, 4, {.recurrentBias = b.x({12})}); });
  b.refuses("lstmCell: the shape ([16]) of peepholeWeight is not [12].",
            [&] { b.lstmCell(x, w, r, h, h, 4, {.peepholeWeight = c}); });
}

TEST_CASE("lstmCell: three activations") {
  test::Builder b;
  using enum MLRecurrentNetworkActivation;
  const MLOperand x = b.x({2, 3}), w = b.x({16, 3}), r = b.x({16, 4}), h = b.x({2, 4});
  b.refuses("lstmCell [c]: the length (2) of activations is not 3.", [&] {
    b.lstmCell(x, w, r, h, h, 4, {.activations = {relu, tanh}, .label = "c"});
  });
}
