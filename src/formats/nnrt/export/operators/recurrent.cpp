// One layer of LSTM, whose gates NNRt has in the order input, output, forget, cell.
#include "src/formats/nnrt/export/lower.h"

namespace webnn::inline v0_1::nnrt::exporter {
namespace {

/// Rows of gates along axis 1, in NNRt's order.
Value ordered(Emitter& e, Value x, MLLstmWeightLayout layout, std::uint32_t hidden) {
  if (layout == MLLstmWeightLayout::iofg) return x;
  std::vector<Value> parts;
  for (const std::uint32_t gate : {0u, 3u, 1u, 2u}) {
    Dims starts(e.shape(x).size(), 0), sizes = e.shape(x);
    starts[1] = gate * hidden;
    sizes[1] = hidden;
    parts.push_back(e.slice(x, starts, sizes));
  }
  return e.concat(std::move(parts), 1);
}

bool has_usual_activations(const Activations& list) {
  using enum MLRecurrentNetworkActivation;
  return !list ||
         (list->size() == 3 && (*list)[0] == sigmoid && (*list)[1] == tanh && (*list)[2] == tanh);
}

/// The inputs of a node, with a dimension for the directions.
struct Layer {
  std::uint32_t steps, batch, directions, hidden;
  Value x, weight, recurrent, bias, recurrent_bias, hidden_state, cell_state;
  MLLstmWeightLayout layout;
};

/// The sequence [steps, batch, directions * hidden], the last states [directions, batch, hidden].
std::vector<Value> layer(LoweringContext& s, const Layer& l) {
  Emitter& e = s.e();
  const auto or_zeros = [&](Value x, Dims shape) { return x ? x : e.filled(s.type(), shape, 0); };
  const auto gates = [&](Value x) { return ordered(e, x, l.layout, l.hidden); };
  const Dims biases{l.directions, 4 * l.hidden}, states{l.directions, l.batch, l.hidden};
  const Value bias =
      e.concat({gates(or_zeros(l.bias, biases)), gates(or_zeros(l.recurrent_bias, biases))}, 1);
  return e.nodes(LSTM{.bidirectional = l.directions == 2,
                      .hasBias = true,
                      .inputSize = e.shape(l.x)[2],
                      .hiddenSize = l.hidden,
                      .numLayers = 1,
                      .numDirections = l.directions},
                 {l.x, gates(l.weight), gates(l.recurrent), bias, or_zeros(l.hidden_state, states),
                  or_zeros(l.cell_state, states)},
                 s.type(), {{l.steps, l.batch, l.directions * l.hidden}, states, states});
}

}  // namespace

Values lower(LoweringContext& s, const ops::lstm& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  if (o.peepholeWeight) return s.refuse(fail("NNRt has no peephole weights"));
  if (!has_usual_activations(o.activations))
    return s.refuse(fail("NNRt has the activations sigmoid, tanh, tanh"));
  const auto given = [&](const std::optional<MLOperand>& x) { return x ? s(*x) : Value(); };
  const bool backward = o.direction == MLRecurrentNetworkDirection::backward;
  const Dims in = op.input.shape();
  Layer l{.steps = op.steps,
          .batch = in[1],
          .directions = op.weight.shape()[0],
          .hidden = op.hiddenSize,
          .x = s(op.input),
          .weight = s(op.weight),
          .recurrent = s(op.recurrentWeight),
          .bias = given(o.bias),
          .recurrent_bias = given(o.recurrentBias),
          .hidden_state = given(o.initialHiddenState),
          .cell_state = given(o.initialCellState),
          .layout = o.layout};
  if (backward) l.x = e.reverse(l.x, {0});
  const auto y = layer(s, l);
  std::vector<Value> results{y[1], y[2]};
  if (o.returnSequence) {
    const Value all = e.reshape(y[0], {l.steps, l.batch, l.directions, l.hidden});
    const Value sequence = e.transpose(all, {0, 2, 1, 3});
    results.push_back(backward ? e.reverse(sequence, {0}) : sequence);
  }
  return results;
}

Values lower(LoweringContext& s, const ops::lstmCell& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  if (o.peepholeWeight) return s.refuse(fail("NNRt has no peephole weights"));
  if (!has_usual_activations(o.activations))
    return s.refuse(fail("NNRt has the activations sigmoid, tanh, tanh"));
  const auto one = [&](const MLOperand& x) {
    Dims shape = x.shape();
    shape.insert(shape.begin(), 1);
    return e.reshape(s(x), shape);
  };
  const auto given = [&](const std::optional<MLOperand>& x) { return x ? one(*x) : Value(); };
  const auto y = layer(s, {.steps = 1,
                           .batch = op.input.shape()[0],
                           .directions = 1,
                           .hidden = op.hiddenSize,
                           .x = one(op.input),
                           .weight = one(op.weight),
                           .recurrent = one(op.recurrentWeight),
                           .bias = given(o.bias),
                           .recurrent_bias = given(o.recurrentBias),
                           .hidden_state = one(op.hiddenState),
                           .cell_state = one(op.cellState),
                           .layout = o.layout});
  return std::vector<Value>{e.reshape(y[1], s.shape()), e.reshape(y[2], s.shape())};
}

}  // namespace webnn::inline v0_1::nnrt::exporter
