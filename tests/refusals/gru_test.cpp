// What gru refuses, in what words, and what is just allowed.
#include "tests/support/builder.h"
#include "tests/support/catch.h"

using namespace webnn;
using test::text;

TEST_CASE("gru: the data types and ranks") {
  test::Builder b;
  const MLOperand x = b.x({5, 2, 3}), w = b.x({1, 12, 3}), r = b.x({1, 12, 4});
  b.refuses("gru [g]: the data type (int32) of input is not one of float32, float16, bfloat16.",
            [&] {
              b.gru(b.x({5, 2, 3}, int32), w, r, 5, 4, {.label = "g"});
            });
  b.refuses("gru: the rank (2) of input is not 3.", [&] { b.gru(b.x({5, 2}), w, r, 5, 4); });
  b.refuses("gru: the data type (float16) of weight is not that of input (float32).", [&] {
    b.gru(x, b.x({1, 12, 3}, float16), r, 5, 4);
  });
  b.refuses("gru: the rank (2) of weight is not 3.", [&] { b.gru(x, b.x({12, 3}), r, 5, 4); });
  b.refuses("gru: the rank (2) of recurrentWeight is not 3.", [&] {
    b.gru(x, w, b.x({12, 4}), 5, 4);
  });
  b.refuses("gru: the rank (1) of bias is not 2.",
            [&] { b.gru(x, w, r, 5, 4, {.bias = b.x({12})}); });
  b.refuses("gru: the data type (float16) of initialHiddenState is not that of input (float32).",
            [&] {
              b.gru(x, w, r, 5, 4, {.initialHiddenState = b.x({1, 2, 4}, float16)});
            });
}

TEST_CASE("gru: the shapes") {
  test::Builder b;
  const MLOperand x = b.x({5, 2, 3}), w = b.x({1, 12, 3}), r = b.x({1, 12, 4});
  CHECK(text(b.gru(x, w, r, 5, 4)) == "float32 [1, 2, 4]");
  CHECK(text(b.gru(x, b.x({2, 12, 3}), b.x({2, 12, 4}), 5, 4,
                   {.returnSequence = true, .direction = MLRecurrentNetworkDirection::both})) ==
        "float32 [2, 2, 4]; float32 [5, 2, 2, 4]");
  b.refuses("gru [g]: dimension 0 (5) of input is not steps (4).",
            [&] { b.gru(x, w, r, 4, 4, {.label = "g"}); });
  b.refuses("gru: the shape ([2, 12, 3]) of weight is not [1, 12, 3].", [&] {
    b.gru(x, b.x({2, 12, 3}), r, 5, 4);
  });
  b.refuses("gru: the shape ([1, 12, 3]) of recurrentWeight is not [1, 12, 4].", [&] {
    b.gru(x, w, b.x({1, 12, 3}), 5, 4);
  });
  b.refuses("gru: the shape ([1, 12, 3]) of weight is not [1, 0, 3].",
            [&] { b.gru(x, w, r, 5, 0); });
  b.refuses("gru: the shape ([1, 4]) of bias is not [1, 12].", [&] {
    b.gru(x, w, r, 5, 4, {.bias = b.x({1, 4})});
  });
  b.refuses("gru: the shape ([2, 12]) of recurrentBias is not [1, 12].", [&] {
    b.gru(x, w, r, 5, 4, {.recurrentBias = b.x({2, 12})});
  });
  b.refuses("gru: the shape ([1, 1, 4]) of initialHiddenState is not [1, 2, 4].", [&] {
    b.gru(x, w, r, 5, 4, {.initialHiddenState = b.x({1, 1, 4})});
  });
}

TEST_CASE("gru: two activations") {
  test::Builder b;
  using enum MLRecurrentNetworkActivation;
  const MLOperand x = b.x({5, 2, 3}), w = b.x({1, 12, 3}), r = b.x({1, 12, 4});
  CHECK(text(b.gru(x, w, r, 5, 4, {.activations = {relu, tanh}})) == "float32 [1, 2, 4]");
  b.refuses("gru [g]: the length (1) of activations is not 2.",
            [&] { b.gru(x, w, r, 5, 4, {.activations = {relu}, .label = "g"}); });
  b.refuses("gru: the length (0) of activations is not 2.",
            [&] { b.gru(x, w, r, 5, 4, {.activations = {}}); });
}
