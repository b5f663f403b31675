// Recurrent operators. Their states, variables of the file, begin with zeros in every run.
#include "src/formats/tflite/import/call.h"

namespace webnn::tflite {
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
MLOperand directed(const Call& c, const MLOperand& x) {
  Dims shape = x.shape();
  shape.insert(shape.begin(), 1);
  return c.b.reshape(x, shape);
}

MLOperand peepholes(const Call& c, const LstmInputs& in) {
  const MLOperand forget = c.value(in.peephole(1)), output = c.value(in.peephole(2));
  const MLOperand input = c.has(in.peephole(0)) ? c.value(in.peephole(0)) : c.b.neg(forget);
  return directed(c, c.b.concat({input, output, forget}, 0));
}

/// A state that is an operand [batch, hidden]; nothing for a variable.
std::optional<MLOperand> state(const Call& c, std::size_t i) {
  if (!c.has(i)) return std::nullopt;
  const TensorInfo& t = c.in(i);
  if (t.variable && !c.scope().has_value(static_cast<std::int32_t>(t.index))) return std::nullopt;
  return directed(c, c.value(i));
}

Activations activations_of(const Call& c, ActivationFunctionType f) {
  using enum MLRecurrentNetworkActivation;
  if (f == ActivationFunctionType::TANH) return {sigmoid, tanh, tanh};
  if (f == ActivationFunctionType::RELU) return {sigmoid, relu, relu};
  c.unsupported(fail("an LSTM with activation {}", static_cast<int>(f)));
}

/// x is [steps, batch, input]; the result [steps, batch, hidden].
MLOperand lstm(const Call& c, const MLOperand& x, const LstmInputs& in, ActivationFunctionType f,
               MLRecurrentNetworkDirection direction) {
  if (c.has(in.projection())) c.unsupported("an LSTM with a projection");
  const MLOperand weight = gates(c, [&](std::size_t g) { return in.weight(g); });
  const MLOperand recurrent = gates(c, [&](std::size_t g) { return in.recurrent(g); });
  const MLOperand bias = gates(c, [&](std::size_t g) { return in.bias(g); });
  c.require_rank(x, 3, 3);
  c.require_rank(recurrent, 2, 2);
  const std::uint32_t hidden = recurrent.shape()[1], steps = x.shape()[0];
  MLLstmOptions options{.bias = directed(c, bias),
                        .initialHiddenState = state(c, in.hidden_state),
                        .initialCellState = state(c, in.cell_state),
                        .returnSequence = true,
                        .direction = direction,
                        .layout = MLLstmWeightLayout::ifgo,
                        .activations = activations_of(c, f),
                        .label = c.label()};
  if (c.has(in.peephole(1))) options.peepholeWeight = peepholes(c, in);
  const auto results =
      c.b.lstm(x, directed(c, weight), directed(c, recurrent), steps, hidden, std::move(options));
  return c.b.reshape(results[2], {steps, x.shape()[1], hidden});
}

/// Exchanges the first two dimensions, unless time comes first already.
MLOperand timed(const Call& c, const MLOperand& x, bool time_major) {
  c.require_rank(x, 3, 3);
  return time_major ? x : c.b.transpose(x, {.permutation = {1, 0, 2}});
}

template <class Options> void require_plain(const Call& c, const Options& o) {
  if (o.cell_clip != 0 || o.proj_clip != 0) c.unsupported("an LSTM that clips");
}

void sequence_lstm(Call& c) {
  const auto o = c.options<schema::UnidirectionalSequenceLSTMOptionsT>();
  require_plain(c, o);
  if (o.diagonal_recurrent_tensors) c.unsupported("an LSTM with diagonal weights");
  for (std::size_t i = 20; i < c.inputs(); ++i)
    if (c.has(i)) c.unsupported("an LSTM with layer normalization");
  const MLOperand y = lstm(c, timed(c, c.value(0), o.time_major), {1, 18, 19},
                           o.fused_activation_function, MLRecurrentNetworkDirection::forward);
  c.put(timed(c, y, o.time_major));
}

void bidirectional_lstm(Call& c) {
  const auto o = c.options<schema::BidirectionalSequenceLSTMOptionsT>();
  require_plain(c, o);
  for (std::size_t i = 39; i < c.inputs(); ++i)
    if (c.has(i)) c.unsupported("an LSTM with an auxiliary input");
  if (c.outputs() != (o.merge_outputs ? 1u : 2u)) c.refuse(fail("it has {} outputs", c.outputs()));
  const MLOperand x = timed(c, c.value(0), o.time_major);
  const MLOperand forward =
      lstm(c, x, {1, 35, 36}, o.fused_activation_function, MLRecurrentNetworkDirection::forward);
  const MLOperand backward =
      lstm(c, x, {18, 37, 38}, o.fused_activation_function, MLRecurrentNetworkDirection::backward);
  if (o.merge_outputs) return c.put(timed(c, c.b.concat({forward, backward}, 2), o.time_major));
  c.put(timed(c, forward, o.time_major));
  c.put(timed(c, backward, o.time_major), 1);
}

/// One step of the same.
void lstm_step(Call& c) {
  const auto o = c.options<schema::LSTMOptionsT>();
  require_plain(c, o);
  if (o.kernel_type != schema::LSTMKernelType::FULL) c.unsupported("an LSTM of the kind BASIC");
  if (c.inputs() < 18) c.refuse(fail("it has {} inputs, not at least 18", c.inputs()));
  for (std::size_t i = 20; i < c.inputs(); ++i)
    if (c.has(i)) c.unsupported("an LSTM with layer normalization");
  const MLOperand x = c.value(0);
  c.require_rank(x, 2, 2);
  const MLOperand y = lstm(c, directed(c, x), {1, 18, 19}, o.fused_activation_function,
                           MLRecurrentNetworkDirection::forward);
  c.put(c.b.reshape(y, {y.shape()[1], y.shape()[2]}));
}

constexpr std::uint32_t max_steps = 512;

/// h = f(x * weights^T + h * recurrent^T + bias), unrolled. x is [steps, batch, input].
MLOperand rnn(const Call& c, const MLOperand& x, ActivationFunctionType f) {
  const MLOperand weight = c.value(1), recurrent = c.value(2), bias = c.value(3);
  const std::uint32_t steps = x.shape()[0], batch = x.shape()[1];
  if (steps > max_steps) c.unsupported(fail("an RNN of {} steps, more than {}", steps, max_steps));
  c.require_rank(weight, 2, 2);
  std::optional<MLOperand> h;
  if (!c.in(4).variable || c.scope().has_value(static_cast<std::int32_t>(c.in(4).index)))
    h = c.value(4);
  std::vector<MLOperand> all;
  for (std::uint32_t t = 0; t < steps; ++t) {
    const MLOperand now =
        c.b.reshape(c.b.slice(x, {t, 0, 0}, {1, batch, x.shape()[2]}), {batch, x.shape()[2]});
    MLOperand y = c.b.gemm(now, weight, {.c = bias, .bTranspose = true});
    if (h) y = c.b.gemm(*h, recurrent, {.c = y, .bTranspose = true});
    h = c.activated(y, f);
    all.push_back(c.b.reshape(*h, {1, batch, weight.shape()[0]}));
  }
  return c.b.concat(std::move(all), 0, {.label = c.label()});
}

void rnn_step(Call& c) {
  const auto o = c.options<schema::RNNOptionsT>();
  const MLOperand x = c.value(0);
  c.require_rank(x, 2, 2);
  const MLOperand y = rnn(c, directed(c, x), o.fused_activation_function);
  c.put(c.b.reshape(y, {y.shape()[1], y.shape()[2]}));
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

std::span<const Handler> recurrents() { return handlers; }

}  // namespace webnn::tflite
