// Recurrent operators, with every option.
#include "tests/random/generator.h"

namespace webnn::inline v0_1::test {
namespace {

using enum MLRecurrentNetworkActivation;
constexpr Interval weights{-1, 1};

Activations activations(Generator& g, std::size_t count) {
  if (g.chance(0.6)) return std::nullopt;
  std::vector<MLRecurrentNetworkActivation> list;
  while (list.size() < count) list.push_back(g.one_of({relu, sigmoid, tanh}));
  return list;
}
template <class Options> void biases(Generator& g, Options& o, MLOperandDataType type, Dims shape) {
  if (g.chance(0.6)) o.bias = g.weight(type, shape);
  if (g.chance(0.6)) o.recurrentBias = g.weight(type, shape);
}
std::uint32_t hidden_size(Generator& g) {
  return g.chance(0.1) ? g.between(15, 18) : g.between(1, 4);
}
MLRecurrentNetworkDirection direction(Generator& g) {
  using enum MLRecurrentNetworkDirection;
  return g.one_of({forward, backward, both});
}

template <class Op, class Options> Op sequence(Generator& g, Options o, std::uint32_t gates) {
  const MLOperand x = g.limited(types::floats, 4, {3, 3});
  const auto type = x.dataType();
  const std::uint32_t directions = o.direction == MLRecurrentNetworkDirection::both ? 2 : 1;
  const std::uint32_t hidden = hidden_size(g);
  biases(g, o, type, {directions, gates * hidden});
  if (g.chance(0.4)) o.initialHiddenState = g.weight(type, {directions, x.shape()[1], hidden});
  o.returnSequence = g.chance(0.5);
  return Op{x,
            g.weight(type, {directions, gates * hidden, x.shape()[2]}, weights),
            g.weight(type, {directions, gates * hidden, hidden}, weights),
            x.shape()[0],
            hidden,
            o};
}

void make(Generator& g, std::type_identity<ops::gru>) {
  g.append(sequence<ops::gru>(
               g,
               MLGruOptions{.resetAfter = g.chance(0.5),
                            .direction = direction(g),
                            .layout = g.one_of({MLGruWeightLayout::zrn, MLGruWeightLayout::rzn}),
                            .activations = activations(g, 2)},
               3),
           4);
}

void make(Generator& g, std::type_identity<ops::lstm>) {
  auto op = sequence<ops::lstm>(
      g,
      MLLstmOptions{.direction = direction(g),
                    .layout = g.one_of({MLLstmWeightLayout::iofg, MLLstmWeightLayout::ifgo}),
                    .activations = activations(g, 3)},
      4);
  const auto type = op.input.dataType();
  const std::uint32_t directions = op.weight.shape()[0];
  if (g.chance(0.4)) op.options.peepholeWeight = g.weight(type, {directions, 3 * op.hiddenSize});
  if (g.chance(0.4))
    op.options.initialCellState = g.weight(type, {directions, op.input.shape()[1], op.hiddenSize});
  g.append(op, 4);
}

void make(Generator& g, std::type_identity<ops::gruCell>) {
  const MLOperand x = g.limited(types::floats, 4, {2, 2});
  const auto type = x.dataType();
  const std::uint32_t hidden = hidden_size(g);
  MLGruCellOptions o{.resetAfter = g.chance(0.5),
                     .layout = g.one_of({MLGruWeightLayout::zrn, MLGruWeightLayout::rzn}),
                     .activations = activations(g, 2)};
  biases(g, o, type, {3 * hidden});
  g.append(ops::gruCell{x, g.weight(type, {3 * hidden, x.shape()[1]}, weights),
                        g.weight(type, {3 * hidden, hidden}, weights),
                        g.like(type, {x.shape()[0], hidden}, weights), hidden, o},
           4);
}

void make(Generator& g, std::type_identity<ops::lstmCell>) {
  const MLOperand x = g.limited(types::floats, 4, {2, 2});
  const auto type = x.dataType();
  const std::uint32_t hidden = hidden_size(g);
  MLLstmCellOptions o{.layout = g.one_of({MLLstmWeightLayout::iofg, MLLstmWeightLayout::ifgo}),
                      .activations = activations(g, 3)};
  biases(g, o, type, {4 * hidden});
  if (g.chance(0.4)) o.peepholeWeight = g.weight(type, {3 * hidden});
  g.append(ops::lstmCell{x, g.weight(type, {4 * hidden, x.shape()[1]}, weights),
                         g.weight(type, {4 * hidden, hidden}, weights),
                         g.like(type, {x.shape()[0], hidden}, weights),
                         g.like(type, {x.shape()[0], hidden}, weights), hidden, o},
           4);
}

}  // namespace

void generate(Generator& g, RecurrentFamily family, std::size_t kind) {
  with_kind(family, kind, [&](auto of) { make(g, of); });
}

}  // namespace webnn::inline v0_1::test
