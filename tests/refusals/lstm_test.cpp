// What lstm refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("lstm: the data types and ranks") {
  test::Builder b;
  const MLOperand x = b.x({5, 2, 3}), w = b.x({1, 16, 3}), r = b.x({1, 16, 4});
  b.refuses("lstm [l]: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] {
              b.lstm(b.x({5, 2, 3}, int32), w, r, 5, 4, {.label = "l"});
            });
  b.refuses("lstm: the rank (2) of input is not 3.", [&] { b.lstm(b.x({5, 2}), w, r, 5, 4); });
  b.refuses("lstm: the data type (float16) of weight is not that of input (float32).", [&] {
    b.lstm(x, b.x({1, 16, 3}, float16), r, 5, 4);
  });
  b.refuses("lstm: the rank (2) of recurrentWeight is not 3.", [&] {
    b.lstm(x, w, b.x({16, 4}), 5, 4);
  });
  b.refuses("lstm: the rank (1) of bias is not 2.",
            [&] { b.lstm(x, w, r, 5, 4, {.bias = b.x({16})}); });
}

TEST_CASE("lstm: the shapes") {
  test::Builder b;
  const MLOperand x = b.x({5, 2, 3}), w = b.x({1, 16, 3}), r = b.x({1, 16, 4}),
                  wrong = b.x({1, 2, 3});
  CHECK(text(b.lstm(x, w, r, 5, 4, {.peepholeWeight = b.x({1, 12})})) ==
        "float32 [1, 2, 4]; float32 [1, 2, 4]");
  CHECK(text(b.lstm(x, b.x({2, 16, 3}), b.x({2, 16, 4}), 5, 4,
                    {.returnSequence = true, .direction = MLRecurrentNetworkDirection::both})) ==
        "float32 [2, 2, 4]; float32 [2, 2, 4]; float32 [5, 2, 2, 4]");
  b.refuses("lstm [l]: steps is zero.", [&] { b.lstm(x, w, r, 0, 4, {.label = "l"}); });
  b.refuses("lstm: dimension 0 (5) of input is not steps (6).", [&] { b.lstm(x, w, r, 6, 4); });
  b.refuses("lstm: the shape ([2, 16, 3]) of weight is not [1, 16, 3].", [&] {
    b.lstm(x, b.x({2, 16, 3}), r, 5, 4);
  });
  b.refuses("lstm: the shape ([1, 16, 3]) of recurrentWeight is not [1, 16, 4].", [&] {
    b.lstm(x, w, b.x({1, 16, 3}), 5, 4);
  });
  b.refuses("lstm: the shape ([1, 16, 3]) of weight is not [1, 0, 3].",
            [&] { b.lstm(x, w, r, 5, 0); });
  b.refuses("lstm: the shape ([1, 12]) of bias is not [1, 16].", [&] {
    b.lstm(x, w, r, 5, 4, {.bias = b.x({1, 12})});
  });
  b.refuses("lstm: the shape ([2, 16]) of recurrentBias is not [1, 16].", [&] {
    b.lstm(x, w, r, 5, 4, {.recurrentBias = b.x({2, 16})});
  });
  b.refuses("lstm: the shape ([1, 16]) of peepholeWeight is not [1, 12].", [&] {
    b.lstm(x, w, r, 5, 4, {.peepholeWeight = b.x({1, 16})});
  });
  b.refuses("lstm: the shape ([1, 2, 3]) of initialHiddenState is not [1, 2, 4].", [&] {
    b.lstm(x, w, r, 5, 4, {.initialHiddenState = wrong, .initialCellState = wrong});
  });
  b.refuses("lstm: the shape ([1, 2, 3]) of initialCellState is not [1, 2, 4].",
            [&] { b.lstm(x, w, r, 5, 4, {.initialCellState = wrong}); });
}

TEST_CASE("lstm: three activations") {
  test::Builder b;
  using enum MLRecurrentNetworkActivation;
  const MLOperand x = b.x({5, 2, 3}), w = b.x({1, 16, 3}), r = b.x({1, 16, 4});
  CHECK(text(b.lstm(x, w, r, 5, 4, {.activations = {relu, relu, relu}})) ==
        "float32 [1, 2, 4]; float32 [1, 2, 4]");
  b.refuses("lstm [l]: the length (2) of activations is not 3.", [&] {
    b.lstm(x, w, r, 5, 4, {.activations = {relu, tanh}, .label = "l"});
  });
}
