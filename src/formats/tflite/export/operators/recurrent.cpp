// gru, gruCell, lstm, lstmCell, step by step: the recurrent operators of TFLite
// have fixed activations, other gates and states that outlive a run.
#include "src/formats/tflite/export/lower.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

using Activation = MLRecurrentNetworkActivation;

Value activate(Emitter& e, Activation kind, Value x) {
  return e.unary(kind == Activation::relu      ? BuiltinOperator::RELU
                 : kind == Activation::sigmoid ? LOGISTIC
                                               : BuiltinOperator::TANH,
                 x);
}

/// The rows of each gate; absent ones when x is.
std::vector<Value> gates(Emitter& e, Value x, std::uint32_t hidden) {
  std::vector<Value> out(4);
  if (!x) return out;
  Dims starts(e.shape(x).size(), 0), sizes = e.shape(x);
  const std::uint32_t count = sizes[0] / hidden;
  sizes[0] = hidden;
  for (std::uint32_t i = 0; i < count; ++i) {
    starts[0] = i * hidden;
    out[i] = e.slice(x, starts, sizes);
  }
  return out;
}

/// The weights of one direction by gate, and what its steps have in common.
struct Cell {
  Emitter& e;
  std::uint32_t hidden, batch;
  std::vector<Value> weight, recurrent, bias, recurrent_bias, peephole;
  std::vector<Activation> activations;

  Value add(Value a, Value b) const { return e.binary(ADD, a, b); }
  Value mul(Value a, Value b) const { return e.binary(MUL, a, b); }
  Value product(Value x, Value w, Value b) const {
    return fully_connected(e, x, w, b, {TensorType::FLOAT32, {batch, e.shape(w)[0]}}, false,
                           ActivationFunctionType::NONE);
  }
  Value from_input(Value x, std::uint32_t index) const {
    return product(x, weight[index], bias[index]);
  }
  Value from_state(Value h, std::uint32_t index) const {
    return product(h, recurrent[index], recurrent_bias[index]);
  }
  Value sums(Value x, Value h, std::uint32_t index) const {
    return add(from_input(x, index), from_state(h, index));
  }
};

Value gru_step(const Cell& c, Value x, Value h, bool zrn, bool reset_after) {
  Emitter& e = c.e;
  const std::uint32_t z_at = zrn ? 0 : 1, r_at = zrn ? 1 : 0, n_at = 2;
  const Value z = activate(e, c.activations[0], c.sums(x, h, z_at));
  const Value r = activate(e, c.activations[0], c.sums(x, h, r_at));
  const Value state =
      reset_after ? c.mul(r, c.from_state(h, n_at)) : c.from_state(c.mul(r, h), n_at);
  const Value fresh = activate(e, c.activations[1], c.add(c.from_input(x, n_at), state));
  const Value rest = e.binary(SUB, e.scalar(TensorType::FLOAT32, 1), z);
  return c.add(c.mul(z, h), c.mul(rest, fresh));
}

/// The hidden and the cell state. Peepholes: input, output, forget gate in every layout.
std::pair<Value, Value> lstm_step(const Cell& c, Value x, Value h, Value state, bool iofg) {
  Emitter& e = c.e;
  const auto gate = [&](std::uint32_t at, std::uint32_t peephole) {
    const Value sum = c.sums(x, h, at), weight = c.peephole[peephole];
    return activate(e, c.activations[0], weight ? c.add(sum, c.mul(state, weight)) : sum);
  };
  const Value i = gate(0, 0), o = gate(iofg ? 1 : 3, 1), f = gate(iofg ? 2 : 1, 2);
  const Value g = activate(e, c.activations[1], c.sums(x, h, iofg ? 3 : 2));
  const Value next = c.add(c.mul(f, state), c.mul(i, g));
  return {c.mul(o, activate(e, c.activations[2], next)), next};
}

std::vector<Activation> activations_of(const Activations& given, std::size_t count) {
  if (given) return *given;
  std::vector<Activation> out(count, Activation::tanh);
  out[0] = Activation::sigmoid;
  return out;
}

/// Index i of dimension 0, which is removed.
Value at(Emitter& e, Value x, std::uint32_t i) {
  if (!x) return x;
  Dims starts(e.shape(x).size(), 0), sizes = e.shape(x);
  starts[0] = i;
  sizes[0] = 1;
  return e.reshape(e.slice(x, starts, sizes), {sizes.begin() + 1, sizes.end()});
}
Value lifted(Emitter& e, Value x) {
  Dims shape = e.shape(x);
  shape.insert(shape.begin(), 1);
  return e.reshape(x, shape);
}
Value stacked(Emitter& e, const std::vector<Value>& list) {
  std::vector<Value> wide;
  for (const Value x : list) wide.push_back(lifted(e, x));
  return e.concat(wide, 0);
}

/// Runs the steps of all directions: state = step(cell, x, state). The results are the states of
/// the last step [D, N, H] and, if asked for, the first state after each [steps, D, N, H].
template <class Op, class Step>
Values run(LoweringContext& s, const Op& op, Value peephole, std::vector<Value> initial,
           std::vector<Activation> activations, Step&& step) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const std::uint32_t batch = op.input.shape()[1];
  const bool both = o.direction == MLRecurrentNetworkDirection::both;
  const Value input = s(op.input), weight = s(op.weight), recurrent = s(op.recurrentWeight),
              bias = s(o.bias), recurrent_bias = s(o.recurrentBias);
  std::vector<std::vector<Value>> last(initial.size()), sequence(op.steps);
  for (std::uint32_t d = 0; d < (both ? 2u : 1u); ++d) {
    const auto part = [&](Value x) { return gates(e, at(e, x, d), op.hiddenSize); };
    const Cell cell{e,          op.hiddenSize,        batch,          part(weight), part(recurrent),
                    part(bias), part(recurrent_bias), part(peephole), activations};
    std::vector<Value> state;
    for (const Value x : initial)
      state.push_back(x ? at(e, x, d)
                        : e.floats({batch, op.hiddenSize},
                                   std::vector<float>(std::size_t{batch} * op.hiddenSize)));
    const bool backward = d == 1 || o.direction == MLRecurrentNetworkDirection::backward;
    for (std::uint32_t i = 0; i < op.steps; ++i) {
      const std::uint32_t t = backward ? op.steps - 1 - i : i;
      state = step(cell, at(e, input, t), state);
      sequence[t].push_back(state[0]);
    }
    for (std::size_t i = 0; i < state.size(); ++i) last[i].push_back(state[i]);
  }
  std::vector<Value> results;
  for (const auto& states : last) results.push_back(stacked(e, states));
  if (o.returnSequence) {
    std::vector<Value> all;
    for (const auto& states : sequence) all.push_back(stacked(e, states));
    results.push_back(stacked(e, all));
  }
  return results;
}

template <class Op>
Cell cell_of(LoweringContext& s, const Op& op, Value peephole,
             std::vector<Activation> activations) {
  const auto part = [&](Value x) { return gates(s.e(), x, op.hiddenSize); };
  return {s.e(),
          op.hiddenSize,
          op.input.shape()[0],
          part(s(op.weight)),
          part(s(op.recurrentWeight)),
          part(s(op.options.bias)),
          part(s(op.options.recurrentBias)),
          part(peephole),
          std::move(activations)};
}

constexpr std::uint32_t max_steps = 4096;

}  // namespace

Values lower(LoweringContext& s, const ops::gru& op) {
  const auto& o = op.options;
  if (op.steps > max_steps)
    return s.refuse(fail("steps ({}) is greater than {}, and each becomes operators of its own",
                         op.steps, max_steps));
  return run(s, op, {}, {s(o.initialHiddenState)}, activations_of(o.activations, 2),
             [&](const Cell& c, Value x, const std::vector<Value>& state) {
               return std::vector{
                   gru_step(c, x, state[0], o.layout == MLGruWeightLayout::zrn, o.resetAfter)};
             });
}

Values lower(LoweringContext& s, const ops::gruCell& op) {
  const auto& o = op.options;
  const Cell cell = cell_of(s, op, Value{}, activations_of(o.activations, 2));
  return gru_step(cell, s(op.input), s(op.hiddenState), o.layout == MLGruWeightLayout::zrn,
                  o.resetAfter);
}

Values lower(LoweringContext& s, const ops::lstm& op) {
  const auto& o = op.options;
  if (op.steps > max_steps)
    return s.refuse(fail("steps ({}) is greater than {}, and each becomes operators of its own",
                         op.steps, max_steps));
  return run(s, op, s(o.peepholeWeight), {s(o.initialHiddenState), s(o.initialCellState)},
             activations_of(o.activations, 3),
             [&](const Cell& c, Value x, const std::vector<Value>& state) {
               const auto [h, next] =
                   lstm_step(c, x, state[0], state[1], o.layout == MLLstmWeightLayout::iofg);
               return std::vector{h, next};
             });
}

Values lower(LoweringContext& s, const ops::lstmCell& op) {
  const auto& o = op.options;
  const Cell cell = cell_of(s, op, s(o.peepholeWeight), activations_of(o.activations, 3));
  const auto [h, next] = lstm_step(cell, s(op.input), s(op.hiddenState), s(op.cellState),
                                   o.layout == MLLstmWeightLayout::iofg);
  return std::vector{h, next};
}

}  // namespace webnn::inline v0_1::tflite::exporter
