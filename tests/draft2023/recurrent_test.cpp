// Recurrent operators with activations as objects: those that the current operators take, and
// others, for which the cells are composed.
#include "tests/draft2023/compare.h"

using namespace webnn;
using test::check_same;
using test::Operands;
using test::thrown;
using Draft = draft2023::MLGraphBuilder;
using enum MLRecurrentNetworkDirection;

namespace {

constexpr double tolerance = 1e-5;  // other orders of summation, over three steps

/// Not by name relu, sigmoid and tanh, but the same: the composed cells must agree with the
/// operators.
draft2023::MLActivation same_relu() { return ops::leakyRelu{{}, {.alpha = 0}}; }
draft2023::MLActivation same_tanh_of_small() {  // nothing is beyond 1e30
  return ops::clamp{{}, {.minValue = -1e30, .maxValue = 1e30}};
}

}  // namespace

TEST_CASE("draft 2023: gru with the activations of today") {
  const std::vector<Dims> shapes{{3, 2, 4}, {2, 9, 4}, {2, 9, 3}};
  check_same(
      shapes,
      [](Draft& b, const Operands& x) -> Operands {
        return b.gru(
            x[0], x[1], x[2], 3, 3,
            {.returnSequence = true, .direction = both, .activations = {b.tanh(), b.relu()}});
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        using enum MLRecurrentNetworkActivation;
        return b.gru(x[0], x[1], x[2], 3, 3,
                     {.returnSequence = true, .direction = both, .activations = {tanh, relu}});
      });
  check_same(
      shapes,
      [](Draft& b, const Operands& x) -> Operands {
        return b.gru(x[0], x[1], x[2], 3, 3, {.direction = both});
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return b.gru(x[0], x[1], x[2], 3, 3, {.direction = both});
      });
}

TEST_CASE("draft 2023: gru composed of other operators") {
  using enum MLRecurrentNetworkActivation;
  for (const auto direction : {forward, backward, both})
    for (const auto layout : {MLGruWeightLayout::zrn, MLGruWeightLayout::rzn})
      for (const bool after : {true, false}) {
        const std::uint32_t d = direction == both ? 2 : 1;
        CAPTURE(name_of(direction), name_of(layout), after);
        check_same(
            {{3, 2, 4}, {d, 9, 4}, {d, 9, 3}, {d, 9}, {d, 9}, {d, 2, 3}},
            [&](Draft& b, const Operands& x) -> Operands {
              return b.gru(x[0], x[1], x[2], 3, 3,
                           {.bias = x[3],
                            .recurrentBias = x[4],
                            .initialHiddenState = x[5],
                            .resetAfter = after,
                            .returnSequence = true,
                            .direction = direction,
                            .layout = layout,
                            .activations = {b.sigmoid(), same_relu()}});
            },
            [&](MLGraphBuilder& b, const Operands& x) -> Operands {
              return b.gru(x[0], x[1], x[2], 3, 3,
                           {.bias = x[3],
                            .recurrentBias = x[4],
                            .initialHiddenState = x[5],
                            .resetAfter = after,
                            .returnSequence = true,
                            .direction = direction,
                            .layout = layout,
                            .activations = {sigmoid, relu}});
            },
            tolerance);
      }
  check_same(
      {{3, 2, 4}, {1, 9, 4}, {1, 9, 3}},  // nothing optional
      [](Draft& b, const Operands& x) -> Operands {
        return b.gru(x[0], x[1], x[2], 3, 3, {.activations = {same_relu(), b.tanh()}});
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return b.gru(x[0], x[1], x[2], 3, 3, {.activations = {relu, tanh}});
      },
      tolerance);
}

TEST_CASE("draft 2023: gruCell") {
  using enum MLRecurrentNetworkActivation;
  for (const bool after : {true, false})
    check_same(
        {{2, 4}, {9, 4}, {9, 3}, {2, 3}, {9}},
        [&](Draft& b, const Operands& x) -> Operands {
          return {
              b.gruCell(x[0], x[1], x[2], x[3], 3,
                        {.bias = x[4], .resetAfter = after, .activations = {b.tanh(), b.relu()}}),
              b.gruCell(x[0], x[1], x[2], x[3], 3,
                        {.recurrentBias = x[4],
                         .resetAfter = after,
                         .layout = MLGruWeightLayout::rzn,
                         .activations = {b.tanh(), same_relu()}}),
              b.gruCell(x[0], x[1], x[2], x[3], 3)};
        },
        [&](MLGraphBuilder& b, const Operands& x) -> Operands {
          return {b.gruCell(x[0], x[1], x[2], x[3], 3,
                            {.bias = x[4], .resetAfter = after, .activations = {tanh, relu}}),
                  b.gruCell(x[0], x[1], x[2], x[3], 3,
                            {.recurrentBias = x[4],
                             .resetAfter = after,
                             .layout = MLGruWeightLayout::rzn,
                             .activations = {tanh, relu}}),
                  b.gruCell(x[0], x[1], x[2], x[3], 3)};
        },
        tolerance);
}

TEST_CASE("draft 2023: lstm composed of other operators") {
  using enum MLRecurrentNetworkActivation;
  for (const auto direction : {forward, backward, both})
    for (const auto layout : {MLLstmWeightLayout::iofg, MLLstmWeightLayout::ifgo}) {
      const std::uint32_t d = direction == both ? 2 : 1;
      CAPTURE(name_of(direction), name_of(layout));
      check_same(
          {{3, 2, 4}, {d, 12, 4}, {d, 12, 3}, {d, 12}, {d, 12}, {d, 9}, {d, 2, 3}, {d, 2, 3}},
          [&](Draft& b, const Operands& x) -> Operands {
            return b.lstm(x[0], x[1], x[2], 3, 3,
                          {.bias = x[3],
                           .recurrentBias = x[4],
                           .peepholeWeight = x[5],
                           .initialHiddenState = x[6],
                           .initialCellState = x[7],
                           .returnSequence = true,
                           .direction = direction,
                           .layout = layout,
                           .activations = {b.sigmoid(), b.tanh(), same_relu()}});
          },
          [&](MLGraphBuilder& b, const Operands& x) -> Operands {
            return b.lstm(x[0], x[1], x[2], 3, 3,
                          {.bias = x[3],
                           .recurrentBias = x[4],
                           .peepholeWeight = x[5],
                           .initialHiddenState = x[6],
                           .initialCellState = x[7],
                           .returnSequence = true,
                           .direction = direction,
                           .layout = layout,
                           .activations = {sigmoid, tanh, relu}});
          },
          tolerance);
    }
  check_same(
      {{3, 2, 4}, {1, 12, 4}, {1, 12, 3}},
      [](Draft& b, const Operands& x) -> Operands {
        return b.lstm(x[0], x[1], x[2], 3, 3,
                      {.activations = {b.sigmoid(), same_relu(), b.tanh()}});
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        return b.lstm(x[0], x[1], x[2], 3, 3, {.activations = {sigmoid, relu, tanh}});
      },
      tolerance);
}

TEST_CASE("draft 2023: lstmCell") {
  using enum MLRecurrentNetworkActivation;
  check_same(
      {{2, 4}, {12, 4}, {12, 3}, {2, 3}, {2, 3}, {12}, {9}},
      [](Draft& b, const Operands& x) -> Operands {
        Operands y = b.lstmCell(x[0], x[1], x[2], x[3], x[4], 3,
                                {.bias = x[5],
                                 .recurrentBias = x[5],
                                 .peepholeWeight = x[6],
                                 .activations = {same_relu(), b.tanh(), b.tanh()}});
        for (const auto& z : b.lstmCell(x[0], x[1], x[2], x[3], x[4], 3)) y.push_back(z);
        return y;
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        Operands y = b.lstmCell(x[0], x[1], x[2], x[3], x[4], 3,
                                {.bias = x[5],
                                 .recurrentBias = x[5],
                                 .peepholeWeight = x[6],
                                 .activations = {relu, tanh, tanh}});
        for (const auto& z : b.lstmCell(x[0], x[1], x[2], x[3], x[4], 3)) y.push_back(z);
        return y;
      },
      tolerance);
}

TEST_CASE("draft 2023: an lstmCell that only adds and multiplies") {
  // i, o, f and g are x W + h R; the cell c f + i g; the state o times it.
  check_same(
      {{1, 1}, {4, 1}, {4, 1}, {1, 1}, {1, 1}},
      [](Draft& b, const Operands& x) -> Operands {
        const auto same = same_tanh_of_small();
        return b.lstmCell(x[0], x[1], x[2], x[3], x[4], 1, {.activations = {same, same, same}});
      },
      [](MLGraphBuilder& b, const Operands& x) -> Operands {
        Operands gates;
        const Operands w = b.split(x[1], 4), r = b.split(x[2], 4);
        for (int g = 0; g < 4; ++g) gates.push_back(b.add(b.mul(x[0], w[g]), b.mul(x[3], r[g])));
        const MLOperand c = b.add(b.mul(gates[2], x[4]), b.mul(gates[0], gates[3]));
        return {b.mul(gates[1], c), c};
      },
      tolerance);
}

TEST_CASE("draft 2023: recurrent operators that are refused") {
  Draft b(test::plain_context());
  const auto x = b.input("x", {.dimensions = {5000, 1, 1}});
  const auto w = b.input("w", {.dimensions = {1, 3, 1}}),
             v = b.input("v", {.dimensions = {1, 4, 1}});
  CHECK(thrown([&] { b.gru(x, w, w, 5000, 1, {.activations = {b.elu()}, .label = "g"}); }) ==
        "DataError gru [g]: the length (1) of activations is not 2.");
  CHECK(thrown([&] {
          b.lstm(x, w, w, 5000, 1, {.activations = {b.elu(), b.elu(), b.elu()}});
        }) == "DataError lstm: the shape ([1, 3, 1]) of weight is not [1, 4, 1].");
  CHECK(thrown([&] {
          b.gru(x, w, w, 5000, 1, {.activations = {b.elu(), b.elu()}});
        }) ==
        "DataError gru: the steps (5000) are more than 4096: with these activations each step "
        "becomes operators of its own.");
  CHECK(thrown([&] {
          b.lstm(x, v, v, 5000, 1, {.activations = {b.elu(), b.elu(), b.elu()}});
        }) ==
        "DataError lstm: the steps (5000) are more than 4096: with these activations each step "
        "becomes operators of its own.");
  CHECK(b.gru(x, w, w, 5000, 1).size() == 1);
}
