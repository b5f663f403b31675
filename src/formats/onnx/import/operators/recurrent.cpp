// LSTM, GRU and RNN. X is [steps, N, I], W [D, gates * H, I], R [D, gates * H, H], B both biases.
#include "src/formats/onnx/import/call.h"

namespace webnn::onnx {
namespace {

struct Recurrent {
  MLOperand x, weight, recurrent;
  std::optional<MLOperand> bias, recurrent_bias;
  std::uint32_t steps, batch, directions, hidden;
  MLRecurrentNetworkDirection direction;
  bool batch_first;
};

Recurrent recurrent_of(Call& c, std::uint32_t gates) {
  Recurrent r{.x = c.x(0), .weight = c.x(1), .recurrent = c.x(2)};
  r.batch_first = c.integer("layout", 0) != 0;
  if (r.x.rank() != 3 || r.weight.rank() != 3 || r.recurrent.rank() != 3)
    c.refuse(fail("X has shape {}, W {}, R {}", r.x.shape(), r.weight.shape(),
                  r.recurrent.shape()));
  if (r.batch_first) r.x = c.b.transpose(r.x, {.permutation = {1, 0, 2}});
  r.steps = r.x.shape()[0];
  r.batch = r.x.shape()[1];
  r.directions = r.weight.shape()[0];
  r.hidden = r.recurrent.shape()[2];
  if (c.integer("hidden_size", r.hidden) != r.hidden)
    c.refuse(fail("hidden_size is not that of R ({})", r.recurrent.shape()));
  const std::string_view name = c.text("direction", "forward");
  using enum MLRecurrentNetworkDirection;
  if (name == "forward") r.direction = forward;
  else if (name == "reverse") r.direction = backward;
  else if (name == "bidirectional") r.direction = both;
  else c.refuse(fail("its direction, {}", in_quotes(name)));
  if ((r.direction == both) != (r.directions == 2))
    c.refuse(fail("W ({}) does not have the directions", r.weight.shape()));
  if (c.has(3)) {
    const MLOperand all = c.x(3);
    const std::uint32_t n = gates * r.hidden;
    if (all.shape() != Dims{r.directions, 2 * n}) c.refuse(fail("B has shape {}", all.shape()));
    r.bias = c.sliced(all, 1, 0, n);
    r.recurrent_bias = c.sliced(all, 1, n, n);
  }
  if (c.has(4))
    for (std::int64_t length : c.ints(4))
      if (length != r.steps)
        c.unsupported(fail("a sequence of {} steps, less than the input's {}", length, r.steps));
  if (c.real("clip", 0) != 0) c.unsupported("clip");
  for (std::string_view attribute : {"activation_alpha", "activation_beta"})
    if (const auto list = c.reals(attribute); list && !list->empty())
      c.unsupported(fail("its attribute {}", attribute));
  return r;
}

/// The activations of the first direction, which those of the second are.
Activations activations_of(Call& c, std::size_t n) {
  const auto names = c.texts("activations");
  if (names.empty()) return std::nullopt;
  std::vector<MLRecurrentNetworkActivation> list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string name(names[i]);
    for (char& l : name) l = l >= 'A' && l <= 'Z' ? static_cast<char>(l - 'A' + 'a') : l;
    const auto f = enum_from<MLRecurrentNetworkActivation>(name);
    if (!f) c.unsupported(fail("the activation {}", in_quotes(names[i])));
    if (i < n) list.push_back(*f);
    else if (list[i % n] != *f) c.unsupported("directions with different activations");
  }
  if (list.size() < n) c.refuse(fail("it has {} activations", names.size()));
  return list;
}

std::optional<MLOperand> state(Call& c, const Recurrent& r, std::size_t i) {
  if (!c.has(i)) return std::nullopt;
  return r.batch_first ? c.b.transpose(c.x(i), {.permutation = {1, 0, 2}}) : c.x(i);
}

/// Y [steps, D, N, H], Y_h and Y_c [D, N, H]; with layout 1 the batch is first.
void put_sequence(Call& c, const Recurrent& r, const MLOperand& y) {
  c.put(r.batch_first ? c.b.transpose(y, {.permutation = {2, 0, 1, 3}}) : y, 0);
}
void put_state(Call& c, const Recurrent& r, const MLOperand& y, std::size_t i) {
  c.put(r.batch_first ? c.b.transpose(y, {.permutation = {1, 0, 2}}) : y, i);
}

void lstm(Call& c) {
  const Recurrent r = recurrent_of(c, 4);
  if (c.integer("input_forget", 0) != 0) c.unsupported("input_forget");
  MLLstmOptions o{.bias = r.bias,
                  .recurrentBias = r.recurrent_bias,
                  .peepholeWeight = c.optional(7),
                  .initialHiddenState = state(c, r, 5),
                  .initialCellState = state(c, r, 6),
                  .returnSequence = c.has_output(0),
                  .direction = r.direction,
                  .activations = activations_of(c, 3),
                  .label = c.label()};
  const auto y = c.b.lstm(r.x, r.weight, r.recurrent, r.steps, r.hidden, o);
  if (c.has_output(0)) put_sequence(c, r, y.at(2));
  put_state(c, r, y.at(0), 1);
  put_state(c, r, y.at(1), 2);
}

void gru(Call& c) {
  const Recurrent r = recurrent_of(c, 3);
  MLGruOptions o{.bias = r.bias,
                 .recurrentBias = r.recurrent_bias,
                 .initialHiddenState = state(c, r, 5),
                 .resetAfter = c.integer("linear_before_reset", 0) != 0,
                 .returnSequence = c.has_output(0),
                 .direction = r.direction,
                 .activations = activations_of(c, 2),
                 .label = c.label()};
  const auto y = c.b.gru(r.x, r.weight, r.recurrent, r.steps, r.hidden, o);
  if (c.has_output(0)) put_sequence(c, r, y.at(1));
  put_state(c, r, y.at(0), 1);
}

MLOperand activated(Call& c, const MLOperand& x, const Activations& f) {
  using enum MLRecurrentNetworkActivation;
  if (!f || (*f)[0] == tanh) return c.b.tanh(x);
  return (*f)[0] == relu ? c.b.relu(x) : c.b.sigmoid(x);
}

/// The states of one direction of an RNN, step by step: h = f(x W^T + h R^T + biases).
std::vector<MLOperand> simple_states(Call& c, const Recurrent& r, std::uint32_t d,
                                     const Activations& f, const std::optional<MLOperand>& first) {
  const auto direction = [&](const MLOperand& v) {
    const MLOperand part = c.sliced(v, 0, d, 1);
    return c.reshaped(part, Dims(v.shape().begin() + 1, v.shape().end()));
  };
  const MLOperand weight = direction(r.weight), recurrent = direction(r.recurrent);
  std::optional<MLOperand> bias;
  if (r.bias) bias = c.b.add(direction(*r.bias), direction(*r.recurrent_bias));
  const bool backward = r.direction == MLRecurrentNetworkDirection::backward || d == 1;
  std::vector<MLOperand> states(r.steps);
  std::optional<MLOperand> h;
  if (first) h = direction(*first);
  for (std::uint32_t i = 0; i < r.steps; ++i) {
    const std::uint32_t t = backward ? r.steps - 1 - i : i;
    const MLOperand x = c.reshaped(c.sliced(r.x, 0, t, 1), {r.batch, r.x.shape()[2]});
    MLOperand sum = c.b.gemm(x, weight, {.c = bias, .bTranspose = true});
    if (h) sum = c.b.gemm(*h, recurrent, {.c = sum, .bTranspose = true});
    states[t] = activated(c, sum, f);
    h = states[t];
  }
  return states;
}

void rnn(Call& c) {
  const Recurrent r = recurrent_of(c, 1);
  const Activations f = activations_of(c, 1);
  constexpr std::uint32_t most = 4096;
  if (r.steps > most) c.unsupported(fail("its {} steps are more than {}", r.steps, most));
  const auto first = state(c, r, 5);
  std::vector<MLOperand> sequences, last;
  for (std::uint32_t d = 0; d < r.directions; ++d) {
    const auto states = simple_states(c, r, d, f, first);
    const bool backward = r.direction == MLRecurrentNetworkDirection::backward || d == 1;
    const auto one = [&](const MLOperand& s) { return c.b.reshape(s, {1, 1, r.batch, r.hidden}); };
    std::vector<MLOperand> steps;
    for (const MLOperand& s : states) steps.push_back(one(s));
    sequences.push_back(c.b.concat(steps, 0));
    last.push_back(c.b.reshape(backward ? states.front() : states.back(),
                               {1, r.batch, r.hidden}));
  }
  if (c.has_output(0)) put_sequence(c, r, c.b.concat(sequences, 1));
  put_state(c, r, c.b.concat(last, 0), 1);
}

constexpr Handler handlers[] = {
    {"GRU", &gru, 7, 3, 6, 2, "sequences of equal lengths; Relu, Sigmoid, Tanh; without clip"},
    {"LSTM", &lstm, 7, 3, 8, 3,
     "sequences of equal lengths; Relu, Sigmoid, Tanh; without clip and input_forget"},
    {"RNN", &rnn, 7, 3, 6, 2, "as GRU; unrolled"},
};

}  // namespace

std::span<const Handler> recurrent_handlers() { return handlers; }

}  // namespace webnn::onnx
