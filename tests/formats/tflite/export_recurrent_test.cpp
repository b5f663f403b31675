#include "tests/formats/tflite/exported.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using B = MLGraphBuilder;
using Direction = MLRecurrentNetworkDirection;
using Activation = MLRecurrentNetworkActivation;

// Values of the order of 1, rounded several times on the way.
constexpr Tolerance rounded{.absolute = 1e-6};

}  // namespace

TEST_CASE("exported: gru and gruCell") {
  Random r(1);
  for (const auto direction : {Direction::forward, Direction::backward, Direction::both})
    for (const auto layout : {MLGruWeightLayout::zrn, MLGruWeightLayout::rzn})
      for (const bool after : {true, false}) {
        const std::uint32_t d = direction == Direction::both ? 2 : 1;
        check_exported({[=](B& b, Build::Operands x) {
                          return b.gru(x[0], x[1], x[2], 3, 4,
                                       {.bias = x[3],
                                        .recurrentBias = x[4],
                                        .initialHiddenState = x[5],
                                        .resetAfter = after,
                                        .returnSequence = true,
                                        .direction = direction,
                                        .layout = layout,
                                        .activations = {Activation::sigmoid, Activation::relu}});
                        },
                        {r.tensor(float32, {3, 2, 5}, -1, 1), r.tensor(float32, {d, 12, 5}, -1, 1),
                         r.tensor(float32, {d, 12, 4}, -1, 1), r.tensor(float32, {d, 12}, -1, 1),
                         r.tensor(float32, {d, 12}, -1, 1), r.tensor(float32, {d, 2, 4}, -1, 1)},
                        {.absolute = 1e-5},  // relu lets states grow
                        {1, 2, 3, 4}});
        check_exported({[=](B& b, Build::Operands x) {
                          return b.gruCell(x[0], x[1], x[2], x[3], 4,
                                           {.bias = x[4], .resetAfter = after, .layout = layout});
                        },
                        {r.tensor(float32, {2, 5}, -1, 1), r.tensor(float32, {12, 5}, -1, 1),
                         r.tensor(float32, {12, 4}, -1, 1), r.tensor(float32, {2, 4}, -1, 1),
                         r.tensor(float32, {12}, -1, 1)},
                        rounded});
      }
}

TEST_CASE("exported: lstm and lstmCell") {
  Random r(2);
  for (const auto direction : {Direction::forward, Direction::backward, Direction::both})
    for (const auto layout : {MLLstmWeightLayout::iofg, MLLstmWeightLayout::ifgo}) {
      const std::uint32_t d = direction == Direction::both ? 2 : 1;
      check_exported({[=](B& b, Build::Operands x) {
                        return b.lstm(x[0], x[1], x[2], 3, 4,
                                      {.bias = x[3],
                                       .recurrentBias = x[4],
                                       .peepholeWeight = x[5],
                                       .initialCellState = x[6],
                                       .returnSequence = true,
                                       .direction = direction,
                                       .layout = layout});
                      },
                      {r.tensor(float32, {3, 2, 5}, -1, 1), r.tensor(float32, {d, 16, 5}, -1, 1),
                       r.tensor(float32, {d, 16, 4}, -1, 1), r.tensor(float32, {d, 16}, -1, 1),
                       r.tensor(float32, {d, 16}, -1, 1), r.tensor(float32, {d, 12}, -1, 1),
                       r.tensor(float32, {d, 2, 4}, -1, 1)},
                      rounded,
                      {1, 2, 3, 4, 5}});
      check_exported({[=](B& b, Build::Operands x) {
                        return b.lstmCell(x[0], x[1], x[2], x[3], x[4], 4,
                                          {.peepholeWeight = x[5], .layout = layout});
                      },
                      {r.tensor(float32, {2, 5}, -1, 1), r.tensor(float32, {16, 5}, -1, 1),
                       r.tensor(float32, {16, 4}, -1, 1), r.tensor(float32, {2, 4}, -1, 1),
                       r.tensor(float32, {2, 4}, -1, 1), r.tensor(float32, {12}, -1, 1)},
                      rounded});
    }
}
