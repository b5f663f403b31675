// Recurrent operators. Their states, variables of the file, begin with zeros in every run.
#include "src/formats/tflite/import/call.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;
using schema::ActivationFunctionType;

/// Inputs of one direction of an LSTM begin at `first`: four weights, four recurrent weights, three
/// peepholes, four biases, and the projection with its bias. The order of the gates is input,
/// forget, cell, output.
struct LstmInputs {
  std::size_t first, hidden_state, cell_state;

  std::size_t weight(std::size_t gate) const { return first + gate; }
  std::size_t recurrent(std::size_t gate) const { return first + 4 + gate; }
  std::size_t peephole(std::size_t k) const { return first + 8 + k; }
  std::size_t bias(std::size_t gate) const { return first + 11 + gate; }
  std::size_t projection() const { return first + 15; }
};

/// The gates one after the other. Without an input gate, what is let in is what is not forgotten:
/// 1 - sigmoid(z) = sigmoid(-z).
template <class Index> MLOperand gates(const Call& c, Index index) {
  std::vector<MLOperand> parts;
  for (std::size_t gate = 0; gate < 4; ++gate) {
    if (gate == 0 && !c.has(index(0))) parts.push_back(c.b.neg(c.value(index(1))));
    else parts.push_back(c.value(index(gate)));
  }
  return c.b.concat(std::move(parts), 0);
}

/// With a first dimension of 1 for the only direction.
MLOperand directed(const Call& c, const MLOperand& x) { return formats::with_one(c.b, x, 0); }

/// How many steps x [steps, batch, input] has, which has to be known.
std::uint32_t steps_of(const MLOperand& x) {
  return static_cast<std::uint32_t>(Size::dimension(x, 0).number());
}

/// A state that is an operand [batch, hidden]; nothing for a variable.
std::optional<MLOperand> state(const Call& c, std::size_t i) {
  if (!c.has(i)) return std::nullopt;
  const TensorInfo& t = c.in(i);
  if (t.variable && !c.scope().has_value(static_cast<std::int32_t>(t.index))) return std::nullopt;
  return c.value(i);
}

Activations activations_of(const Call& c, ActivationFunctionType f) {
  using enum MLRecurrentNetworkActivation;
  if (f == ActivationFunctionType::TANH) return {sigmoid, tanh, tanh};
  if (f == ActivationFunctionType::RELU) return {sigmoid, relu, relu};
  c.unsupported(fail("an LSTM with activation {}", static_cast<int>(f)));
}

/// What is the same in every step of a direction.
struct Lstm {
  LstmInputs in;
  ActivationFunctionType activation;
  MLRecurrentNetworkDirection direction = MLRecurrentNetworkDirection::forward;
  float cell_clip = 0, proj_clip = 0;
};

/// WebNN's operator has no projection and no clips, and its output gate looks at the cell before
/// the step.
bool is_plain(const Call& c, const Lstm& l) {
  return !c.has(l.in.projection()) && !c.has(l.in.peephole(1)) && l.cell_clip == 0 &&
         l.proj_clip == 0;
}

/// x is [steps, batch, input]; the result [steps, batch, hidden].
MLOperand plain_lstm(const Call& c, const MLOperand& x, const Lstm& l) {
  const MLOperand weight = gates(c, [&](std::size_t g) { return l.in.weight(g); });
  const MLOperand recurrent = gates(c, [&](std::size_t g) { return l.in.recurrent(g); });
  const MLOperand bias = gates(c, [&](std::size_t g) { return l.in.bias(g); });
  c.require_rank(recurrent, 2, 2);
  const std::uint32_t hidden = recurrent.shape()[1], steps = steps_of(x);
  MLLstmOptions options{.bias = directed(c, bias), .returnSequence = true};
  if (const auto h = state(c, l.in.hidden_state)) options.initialHiddenState = directed(c, *h);
  if (const auto cell = state(c, l.in.cell_state)) options.initialCellState = directed(c, *cell);
  options.direction = l.direction;
  options.layout = MLLstmWeightLayout::ifgo;
  options.activations = activations_of(c, l.activation);
  options.label = c.label();
  const auto results =
      c.b.lstm(x, directed(c, weight), directed(c, recurrent), steps, hidden, std::move(options));
  return formats::reshape(c.b, results[2], {steps, Size::dimension(x, 1), hidden});
}

constexpr std::uint32_t max_steps = 512;

/// Operators for each step are memory that the file does not have.
void require_unrollable(const Call& c, const MLOperand& x) {
  constexpr std::uint64_t bytes_for_step = 16384;
  const std::uint32_t steps = steps_of(x);
  if (steps > max_steps)
    c.unsupported(fail("{} steps, more than the {} that are unrolled", steps, max_steps));
  c.spend(steps * bytes_for_step);
}

/// One step of x as [batch, input].
MLOperand step_of(const Call& c, const MLOperand& x, std::uint32_t t) {
  const Size batch = Size::dimension(x, 1), inputs = Size::dimension(x, 2);
  return formats::reshape(c.b, formats::slice(c.b, x, {t, 0, 0}, {1, batch, inputs}),
                          {batch, inputs});
}

MLOperand clipped(const Call& c, const MLOperand& x, float limit) {
  if (!(limit > 0)) return x;
  return c.b.clamp(x, {.minValue = -limit, .maxValue = limit});
}

/// The layer step by step, with all that the format has.
MLOperand unrolled_lstm(const Call& c, const MLOperand& x, const Lstm& l) {
  MLGraphBuilder b = c.b;
  require_unrollable(c, x);
  const MLOperand weight = gates(c, [&](std::size_t g) { return l.in.weight(g); });
  const MLOperand recurrent = gates(c, [&](std::size_t g) { return l.in.recurrent(g); });
  const MLOperand bias = gates(c, [&](std::size_t g) { return l.in.bias(g); });
  const std::uint32_t steps = steps_of(x), cells = weight.shape()[0] / 4;
  const bool peeks = c.has(l.in.peephole(1));
  std::optional<MLOperand> peep[3];
  for (std::size_t k = 0; peeks && k < 3; ++k)
    peep[k] = k == 0 && !c.has(l.in.peephole(0)) ? b.neg(c.value(l.in.peephole(1)))
                                                 : c.value(l.in.peephole(k));
  const auto peeked = [&](const MLOperand& z, std::size_t k, const MLOperand& cell) {
    return b.sigmoid(peep[k] ? b.add(z, b.mul(cell, *peep[k])) : z);
  };
  std::optional<MLOperand> h = state(c, l.in.hidden_state), cell = state(c, l.in.cell_state);
  if (!cell) cell = formats::expand(b, c.scalar_like(x, 0), {Size::dimension(x, 1), cells});
  std::vector<MLOperand> all(steps);
  for (std::uint32_t i = 0; i < steps; ++i) {
    const bool back = l.direction == MLRecurrentNetworkDirection::backward;
    const std::uint32_t t = back ? steps - 1 - i : i;
    MLOperand sum = b.gemm(step_of(c, x, t), weight, {.c = bias, .bTranspose = true});
    if (h) sum = b.gemm(*h, recurrent, {.c = sum, .bTranspose = true});
    const auto z = b.split(sum, 4, {.axis = 1});
    const MLOperand input = peeked(z[0], 0, *cell), forget = peeked(z[1], 1, *cell);
    const MLOperand update = b.mul(input, c.activated(z[2], l.activation));
    cell = clipped(c, b.add(b.mul(forget, *cell), update), l.cell_clip);
    h = b.mul(peeked(z[3], 2, *cell), c.activated(*cell, l.activation));
    if (c.has(l.in.projection())) {
      MLGemmOptions o{.bTranspose = true};
      if (c.has(l.in.projection() + 1)) o.c = c.value(l.in.projection() + 1);
      h = clipped(c, b.gemm(*h, c.value(l.in.projection()), std::move(o)), l.proj_clip);
    }
    all[t] = directed(c, *h);
  }
  return b.concat(std::move(all), 0, {.label = c.label()});
}

MLOperand lstm(const Call& c, const MLOperand& x, const Lstm& l) {
  c.require_rank(x, 3, 3);
  return is_plain(c, l) ? plain_lstm(c, x, l) : unrolled_lstm(c, x, l);
}

/// Exchanges the first two dimensions, unless time comes first already.
MLOperand timed(const Call& c, const MLOperand& x, bool time_major) {
  c.require_rank(x, 3, 3);
  return time_major ? x : c.b.transpose(x, {.permutation = {1, 0, 2}});
}

void refuse_layer_normalization(const Call& c) {
  for (std::size_t i = 20; i < c.inputs(); ++i)
    if (c.has(i)) c.unsupported("an LSTM with layer normalization");
}

void sequence_lstm(Call& c) {
  const auto o = c.options<schema::UnidirectionalSequenceLSTMOptionsT>();
  if (o.diagonal_recurrent_tensors) c.unsupported("an LSTM with diagonal weights");
  refuse_layer_normalization(c);
  const Lstm l{.in = {1, 18, 19},
               .activation = o.fused_activation_function,
               .cell_clip = o.cell_clip,
               .proj_clip = o.proj_clip};
  const MLOperand y = lstm(c, timed(c, c.value(0), o.time_major), l);
  c.put(timed(c, y, o.time_major));
}

void bidirectional_lstm(Call& c) {
  const auto o = c.options<schema::BidirectionalSequenceLSTMOptionsT>();
  for (std::size_t i = 39; i < c.inputs(); ++i)
    if (c.has(i)) c.unsupported("an LSTM with an auxiliary input");
  if (c.outputs() != (o.merge_outputs ? 1u : 2u)) c.refuse(fail("it has {} outputs", c.outputs()));
  const MLOperand x = timed(c, c.value(0), o.time_major);
  Lstm l{.in = {1, 35, 36},
         .activation = o.fused_activation_function,
         .cell_clip = o.cell_clip,
         .proj_clip = o.proj_clip};
  const MLOperand forward = lstm(c, x, l);
  l.in = {18, 37, 38};
  l.direction = MLRecurrentNetworkDirection::backward;
  const MLOperand backward = lstm(c, x, l);
  if (o.merge_outputs) return c.put(timed(c, c.b.concat({forward, backward}, 2), o.time_major));
  c.put(timed(c, forward, o.time_major));
  c.put(timed(c, backward, o.time_major), 1);
}

/// One step of the same.
void lstm_step(Call& c) {
  const auto o = c.options<schema::LSTMOptionsT>();
  if (o.kernel_type != schema::LSTMKernelType::FULL) c.unsupported("an LSTM of the kind BASIC");
  if (c.inputs() < 18) c.refuse(fail("it has {} inputs, fewer than 18", c.inputs()));
  refuse_layer_normalization(c);
  const MLOperand x = c.value(0);
  c.require_rank(x, 2, 2);
  const Lstm l{.in = {1, 18, 19},
               .activation = o.fused_activation_function,
               .cell_clip = o.cell_clip,
               .proj_clip = o.proj_clip};
  const MLOperand y = lstm(c, directed(c, x), l);
  c.put(formats::without_one(c.b, y, 0));
}

/// h = f(x * weights^T + h * recurrent^T + bias), unrolled. x is [steps, batch, input].
MLOperand rnn(const Call& c, const MLOperand& x, ActivationFunctionType f) {
  const MLOperand weight = c.value(1), recurrent = c.value(2), bias = c.value(3);
  const std::uint32_t steps = steps_of(x);
  require_unrollable(c, x);
  c.require_rank(weight, 2, 2);
  std::optional<MLOperand> h;
  if (!c.in(4).variable || c.scope().has_value(static_cast<std::int32_t>(c.in(4).index)))
    h = c.value(4);
  std::vector<MLOperand> all;
  for (std::uint32_t t = 0; t < steps; ++t) {
    MLOperand y = c.b.gemm(step_of(c, x, t), weight, {.c = bias, .bTranspose = true});
    if (h) y = c.b.gemm(*h, recurrent, {.c = y, .bTranspose = true});
    h = c.activated(y, f);
    all.push_back(directed(c, *h));
  }
  return c.b.concat(std::move(all), 0, {.label = c.label()});
}

void rnn_step(Call& c) {
  const auto o = c.options<schema::RNNOptionsT>();
  const MLOperand x = c.value(0);
  c.require_rank(x, 2, 2);
  const MLOperand y = rnn(c, directed(c, x), o.fused_activation_function);
  c.put(formats::without_one(c.b, y, 0));
}

void sequence_rnn(Call& c) {
  const auto o = c.options<schema::SequenceRNNOptionsT>();
  const MLOperand y = rnn(c, timed(c, c.value(0), o.time_major), o.fused_activation_function);
  c.put(timed(c, y, o.time_major));
}

constexpr Handler handlers[] = {
    {Code::UNIDIRECTIONAL_SEQUENCE_LSTM, sequence_lstm, 18, 24},
    {Code::BIDIRECTIONAL_SEQUENCE_LSTM, bidirectional_lstm, 35, 48, 1, 2},
    {Code::LSTM, lstm_step, 5, 24, 1, 4},
    {Code::RNN, rnn_step, 5, 5},
    {Code::UNIDIRECTIONAL_SEQUENCE_RNN, sequence_rnn, 5, 5},
};

}  // namespace

std::span<const Handler> recurrent_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
