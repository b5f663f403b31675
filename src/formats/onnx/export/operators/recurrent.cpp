// gru, lstm and one step of each, with weights in ONNX's order of gates.
#include <tuple>

#include "src/formats/onnx/export/lower.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

/// The inputs of a node, with a dimension for the directions. W and R have the rows of one gate
/// after the other.
struct Network {
  std::string_view op;  // "GRU", "LSTM"
  Dims gates;           // those of WebNN in the order of ONNX
  std::uint32_t steps, batch, directions, hidden;
  Value x, weight, recurrent, bias{}, recurrent_bias{}, state{}, cell{};
  MLRecurrentNetworkDirection direction = MLRecurrentNetworkDirection::forward;
  Activations activations = std::nullopt;
  Attributes more{};
};

/// The rows of gates, along axis 1, in ONNX's order.
Value ordered(Emitter& e, const Network& n, Value x) {
  Dims places;
  for (const std::uint32_t gate : n.gates)
    for (std::uint32_t i = 0; i < n.hidden; ++i) places.push_back(gate * n.hidden + i);
  return e.taken(x, places, 1);
}

/// Both biases, one after the other.
Value biases(Emitter& e, const Network& n) {
  if (!n.bias && !n.recurrent_bias) return {};
  const Dims shape{n.directions, static_cast<std::uint32_t>(n.gates.size()) * n.hidden};
  const auto part = [&](Value x) { return x ? ordered(e, n, x) : e.filled(e.type(n.x), shape, 0); };
  return e.concat({part(n.bias), part(n.recurrent_bias)}, 1);
}

std::vector<std::string_view> names_of(const Network& n) {
  using enum MLRecurrentNetworkActivation;
  std::vector<std::string_view> names;
  for (std::uint32_t d = 0; d < n.directions; ++d)
    for (const MLRecurrentNetworkActivation a : *n.activations)
      names.push_back(a == relu ? "Relu" : a == sigmoid ? "Sigmoid" : "Tanh");
  return names;
}

/// Y [steps, directions, batch, hidden], Y_h and, of LSTM, Y_c [directions, batch, hidden].
std::vector<Value> layer(LoweringContext& s, const Network& n) {
  Emitter& e = s.e();
  using enum MLRecurrentNetworkDirection;
  const std::string_view direction = n.direction == forward    ? "forward"
                                     : n.direction == backward ? "reverse"
                                                               : "bidirectional";
  Attributes a{{"direction", direction}, {"hidden_size", std::int64_t{n.hidden}}};
  if (n.activations) a.push_back({"activations", names_of(n)});
  a.insert(a.end(), n.more.begin(), n.more.end());
  std::vector<Value> inputs{n.x, ordered(e, n, n.weight), ordered(e, n, n.recurrent), biases(e, n)};
  if (n.state || n.cell) inputs.insert(inputs.end(), {Value(), n.state});
  if (n.cell) inputs.push_back(n.cell);
  while (!inputs.back()) inputs.pop_back();
  const Dims state{n.directions, n.batch, n.hidden};
  std::vector<Dims> shapes{{n.steps, n.directions, n.batch, n.hidden}, state};
  if (n.op == "LSTM") shapes.push_back(state);
  return e.nodes(n.op, std::move(inputs), s.type(), shapes, std::move(a));
}

Dims gates_of(MLGruWeightLayout layout) {
  return layout == MLGruWeightLayout::zrn ? Dims{0, 1, 2} : Dims{1, 0, 2};
}
Dims gates_of(MLLstmWeightLayout layout) {
  return layout == MLLstmWeightLayout::iofg ? Dims{0, 1, 2, 3} : Dims{0, 3, 1, 2};
}
Attribute reset_of(bool after) { return {"linear_before_reset", std::int64_t{after}}; }

template <class Op> Network network_of(LoweringContext& s, const Op& op, std::string_view name) {
  const auto& o = op.options;
  return {.op = name,
          .gates = gates_of(o.layout),
          .steps = op.steps,
          .batch = op.input.shape()[1],
          .directions = op.weight.shape()[0],
          .hidden = op.hiddenSize,
          .x = s(op.input),
          .weight = s(op.weight),
          .recurrent = s(op.recurrentWeight),
          .bias = s.given(o.bias),
          .recurrent_bias = s.given(o.recurrentBias),
          .state = s.given(o.initialHiddenState),
          .direction = o.direction,
          .activations = o.activations};
}

/// An operand with a dimension of 1 before its own.
Value one(LoweringContext& s, const MLOperand& x) {
  Dims shape = x.shape();
  shape.insert(shape.begin(), 1);
  return s.e().reshape(s(x), shape);
}
template <class Op>
Network network_of_cell(LoweringContext& s, const Op& op, std::string_view name) {
  const auto& o = op.options;
  const auto given = [&](const std::optional<MLOperand>& x) { return x ? one(s, *x) : Value(); };
  return {.op = name,
          .gates = gates_of(o.layout),
          .steps = 1,
          .batch = op.input.shape()[0],
          .directions = 1,
          .hidden = op.hiddenSize,
          .x = one(s, op.input),
          .weight = one(s, op.weight),
          .recurrent = one(s, op.recurrentWeight),
          .bias = given(o.bias),
          .recurrent_bias = given(o.recurrentBias),
          .state = one(s, op.hiddenState),
          .activations = o.activations};
}

/// An LSTM with peepholes, step by step: ONNX's output gate sees the new cell state, WebNN's the
/// old one. Their weights are those of the input, output and forget gate.
struct Peepholes {
  const Network& n;
  Value weights;  // [directions, 3 * hidden]
};

/// A part of the last dimension that belongs to one gate.
Value gate(Emitter& e, Value x, std::uint32_t i, std::uint32_t hidden) {
  Dims starts(e.rank(x), 0), ends = e.shape(x);
  starts.back() = i * hidden;
  ends.back() = starts.back() + hidden;
  return e.slice(x, starts, ends, Dims(e.rank(x), 1));
}
/// What belongs to one index of the first dimension.
Value part(Emitter& e, Value x, std::uint32_t i) {
  return e.reshape(e.taken(x, {i}, 0), Dims(e.shape(x).begin() + 1, e.shape(x).end()));
}

struct State {
  Value hidden, cell;
};

State step(Emitter& e, const Peepholes& p, std::uint32_t d, Value x, State s) {
  using enum MLRecurrentNetworkActivation;
  const Network& n = p.n;
  const auto f = n.activations ? *n.activations : std::vector{sigmoid, tanh, tanh};
  const auto activated = [&](std::size_t i, Value v) {
    return e.like(f[i] == relu ? "Relu" : f[i] == sigmoid ? "Sigmoid" : "Tanh", {v});
  };
  const Dims shape{n.batch, static_cast<std::uint32_t>(n.gates.size()) * n.hidden};
  Value sum;
  for (const auto& [input, weight, bias] :
       {std::tuple(x, n.weight, n.bias), {s.hidden, n.recurrent, n.recurrent_bias}}) {
    std::vector<Value> inputs{input, part(e, weight, d)};
    if (bias) inputs.push_back(part(e, bias, d));
    const Value product = e.like("Gemm", std::move(inputs), shape, {{"transB", std::int64_t{1}}});
    sum = sum ? e.binary("Add", sum, product) : product;
  }
  const Value weights = part(e, p.weights, d);
  const auto of = [&](std::uint32_t i) { return gate(e, sum, n.gates[i], n.hidden); };
  const auto open = [&](std::uint32_t i) {
    const Value seen = e.binary("Mul", s.cell, gate(e, weights, i, n.hidden));
    return activated(0, e.binary("Add", of(i), seen));
  };
  const Value kept = e.binary("Mul", open(2), s.cell);
  const Value output = open(1);
  const Value cell = e.binary("Add", kept, e.binary("Mul", open(0), activated(1, of(3))));
  return {e.binary("Mul", output, activated(2, cell)), cell};
}

/// A layer step by step, with the results of layer().
std::vector<Value> unrolled(LoweringContext& s, const Peepholes& p) {
  constexpr std::uint32_t most = 1024;
  const Network& n = p.n;
  Emitter& e = s.e();
  if (n.steps > most)
    return {
        s.refuse(fail("the peephole of ONNX's output gate sees the new cell state, and there "
                      "are more than {} steps",
                      most))};
  const Dims one{n.batch, n.hidden};
  const auto first = [&](Value all, std::uint32_t d) {
    return all ? part(e, all, d) : e.filled(s.type(), one, 0);
  };
  std::vector<Value> sequences, hidden, cells;
  for (std::uint32_t d = 0; d < n.directions; ++d) {
    const bool backward = d == 1 || n.direction == MLRecurrentNetworkDirection::backward;
    State state{first(n.state, d), first(n.cell, d)};
    std::vector<Value> steps(n.steps);
    for (std::uint32_t i = 0; i < n.steps; ++i) {
      const std::uint32_t t = backward ? n.steps - 1 - i : i;
      state = step(e, p, d, part(e, n.x, t), state);
      steps[t] = e.reshape(state.hidden, {1, 1, n.batch, n.hidden});
    }
    sequences.push_back(e.concat(std::move(steps), 0));
    hidden.push_back(e.reshape(state.hidden, {1, n.batch, n.hidden}));
    cells.push_back(e.reshape(state.cell, {1, n.batch, n.hidden}));
  }
  return {e.concat(std::move(sequences), 1), e.concat(std::move(hidden), 0),
          e.concat(std::move(cells), 0)};
}

/// A layer with peepholes, if there are some.
std::vector<Value> lstm_layer(LoweringContext& s, const Network& n, Value peepholes) {
  return peepholes ? unrolled(s, {n, peepholes}) : layer(s, n);
}

}  // namespace

Values lower(LoweringContext& s, const ops::gru& op) {
  Network n = network_of(s, op, "GRU");
  n.more = {reset_of(op.options.resetAfter)};
  const auto y = layer(s, n);
  return op.options.returnSequence ? std::vector<Value>{y[1], y[0]} : std::vector<Value>{y[1]};
}
Values lower(LoweringContext& s, const ops::gruCell& op) {
  Network n = network_of_cell(s, op, "GRU");
  n.more = {reset_of(op.options.resetAfter)};
  return s.e().reshape(layer(s, n)[1], s.shape());
}
Values lower(LoweringContext& s, const ops::lstm& op) {
  Network n = network_of(s, op, "LSTM");
  n.cell = s.given(op.options.initialCellState);
  const auto y = lstm_layer(s, n, s.given(op.options.peepholeWeight));
  if (y.size() == 1) return y;
  std::vector<Value> results{y[1], y[2]};
  if (op.options.returnSequence) results.push_back(y[0]);
  return results;
}
Values lower(LoweringContext& s, const ops::lstmCell& op) {
  Network n = network_of_cell(s, op, "LSTM");
  n.cell = one(s, op.cellState);
  const auto& peepholes = op.options.peepholeWeight;
  const auto y = lstm_layer(s, n, peepholes ? one(s, *peepholes) : Value());
  return std::vector<Value>{s.e().reshape(y[1], s.shape()), s.e().reshape(y[2], s.shape())};
}

}  // namespace webnn::inline v0_1::onnx::exporter
