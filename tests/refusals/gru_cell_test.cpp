// What gruCell refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("gruCell: the data types and ranks") {
  test::Builder b;
  const MLOperand x = b.x({2, 3}), w = b.x({12, 3}), r = b.x({12, 4}), h = b.x({2, 4});
  b.refuses("gruCell [c]: the data type (int8) of input is not one of float32, float16, bfloat16.",
            [&] {
              b.gruCell(b.x({2, 3}, int8), w, r, h, 4, {.label = "c"});
            });
  b.refuses("gruCell: the rank (3) of input is not 2.", [&] {
    b.gruCell(b.x({1, 2, 3}), w, r, h, 4);
  });
  b.refuses("gruCell: the data type (float16) of recurrentWeight is not that of input (float32).",
            [&] {
              b.gruCell(x, w, b.x({12, 4}, float16), h, 4);
            });
  b.refuses("gruCell: the rank (3) of hiddenState is not 2.", [&] {
    b.gruCell(x, w, r, b.x({1, 2, 4}), 4);
  });
  b.refuses("gruCell: the rank (2) of recurrentBias is not 1.", [&] {
    b.gruCell(x, w, r, h, 4, {.recurrentBias = b.x({1, 12})});
  });
}

TEST_CASE("gruCell: the shapes") {
  test::Builder b;
  const MLOperand x = b.x({2, 3}), w = b.x({12, 3}), r = b.x({12, 4}), h = b.x({2, 4}),
                  c = b.x({12});
  CHECK(text(b.gruCell(x, w, r, h, 4, {.bias = c, .recurrentBias = c})) == "float32 [2, 4]");
  b.refuses("gruCell [c]: the shape ([12, 3]) of weight is not [9, 3].",
            [&] { b.gruCell(x, w, r, h, 3, {.label = "c"}); });
  b.refuses("gruCell: the shape ([12, 3]) of recurrentWeight is not [12, 4].",
            [&] { b.gruCell(x, w, w, h, 4); });
  b.refuses("gruCell: the shape ([1, 4]) of hiddenState is not [2, 4].", [&] {
    b.gruCell(x, w, r, b.x({1, 4}), 4);
  });
  b.refuses("gruCell: the shape ([4]) of bias is not [12].",
            [&] { b.gruCell(x, w, r, h, 4, {.bias = b.x({4})}); });
  b.refuses("gruCell: the shape ([4]) of recurrentBias is not [12].",
            [&] { b.gruCell(x, w, r, h, 4, {.recurrentBias = b.x({4})}); });
}

TEST_CASE("gruCell: two activations") {
  test::Builder b;
  using enum MLRecurrentNetworkActivation;
  const MLOperand x = b.x({2, 3}), w = b.x({12, 3}), r = b.x({12, 4}), h = b.x({2, 4});
  b.refuses("gruCell [c]: the length (3) of activations is not 2.", [&] {
    b.gruCell(x, w, r, h, 4, {.activations = {relu, tanh, tanh}, .label = "c"});
  });
}
