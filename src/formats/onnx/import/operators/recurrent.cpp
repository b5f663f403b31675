// LSTM, GRU and RNN. X is [steps, N, I], W [D, gates * H, I], R [D, gates * H, H], B both biases.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

struct Recurrent {
  MLOperand x, weight, recurrent;
  std::optional<MLOperand> bias, recurrent_bias;
  Size steps, batch;
  std::uint32_t directions, hidden;
  MLRecurrentNetworkDirection direction;
  bool batch_first;
};

Recurrent recurrent_of(Call& c, std::uint32_t gates) {
  Recurrent r{.x = c.x(0), .weight = c.x(1), .recurrent = c.x(2), .steps = 0, .batch = 0};
  r.batch_first = c.integer("layout", 0) != 0;
  if (c.version() < 7) c.ignore("output_sequence");  // the outputs say it
  if (r.x.rank() != 3 || r.weight.rank() != 3 || r.recurrent.rank() != 3)
    c.refuse(fail("X has shape {}, W {}, R {}", Call::shape_text(r.x), Call::shape_text(r.weight),
                  Call::shape_text(r.recurrent)));
  if (r.batch_first) r.x = c.b.transpose(r.x, {.permutation = {1, 0, 2}});
  r.steps = Size::dimension(r.x, 0);
  r.batch = Size::dimension(r.x, 1);
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
      if (length != r.steps.number())
        c.unsupported(
            fail("a sequence of {} steps, less than the input's {}", length, r.steps.number()));
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

void check_steps(Call& c, const Recurrent& r) {
  constexpr std::uint32_t most = 4096;
  if (r.steps.number() > most)
    c.unsupported(fail("its {} steps are more than {}", r.steps.number(), most));
}

/// The part of a weight that is of one direction.
MLOperand of_direction(Call& c, const MLOperand& v, std::uint32_t d) {
  const SizeList sizes = formats::sizes_of(v);
  return c.reshaped(c.sliced(v, 0, d, 1), SizeList(sizes.begin() + 1, sizes.end()));
}

/// What the steps of one direction give.
struct States {
  std::vector<MLOperand> hidden{};  // by the place of the step in X
  MLOperand last{}, cell{};
};

bool is_backward(const Recurrent& r, std::uint32_t d) {
  return r.direction == MLRecurrentNetworkDirection::backward || d == 1;
}

/// x W^T + h R^T + biases.
MLOperand gates_of(Call& c, const Recurrent& r, std::uint32_t d, std::uint32_t t,
                   const std::optional<MLOperand>& h) {
  std::optional<MLOperand> bias;
  if (r.bias) bias = c.b.add(of_direction(c, *r.bias, d), of_direction(c, *r.recurrent_bias, d));
  const MLOperand x = c.reshaped(c.sliced(r.x, 0, t, 1), {r.batch, Size::dimension(r.x, 2)});
  const MLOperand sum = c.b.gemm(x, of_direction(c, r.weight, d), {.c = bias, .bTranspose = true});
  if (!h) return sum;
  return c.b.gemm(*h, of_direction(c, r.recurrent, d), {.c = sum, .bTranspose = true});
}

/// All directions, to Y, Y_h and, of an LSTM, Y_c.
template <class F> void put_unrolled(Call& c, const Recurrent& r, F&& states_of) {
  check_steps(c, r);
  std::vector<MLOperand> sequences, last, cells;
  for (std::uint32_t d = 0; d < r.directions; ++d) {
    const States states = states_of(d);
    std::vector<MLOperand> steps;
    for (const MLOperand& s : states.hidden)
      steps.push_back(c.reshape(s, {1, 1, r.batch, r.hidden}));
    sequences.push_back(c.b.concat(steps, 0));
    last.push_back(c.reshape(states.last, {1, r.batch, r.hidden}));
    if (states.cell) cells.push_back(c.reshape(states.cell, {1, r.batch, r.hidden}));
  }
  put_sequence(c, r, c.b.concat(sequences, 1));
  put_state(c, r, c.b.concat(last, 0), 1);
  if (!cells.empty()) put_state(c, r, c.b.concat(cells, 0), 2);
}

MLOperand activated(Call& c, const MLOperand& x, MLRecurrentNetworkActivation f) {
  using enum MLRecurrentNetworkActivation;
  return f == tanh ? c.b.tanh(x) : f == relu ? c.b.relu(x) : c.b.sigmoid(x);
}

/// With peepholes: that of the output gate sees the new cell state, unlike WebNN's.
States peephole_states(Call& c, const Recurrent& r, std::uint32_t d) {
  using enum MLRecurrentNetworkActivation;
  const Activations given = activations_of(c, 3);
  const auto f = given ? *given : std::vector{sigmoid, tanh, tanh};
  const MLOperand peepholes = of_direction(c, c.x(7), d);
  const auto peephole = [&](std::uint32_t i, const MLOperand& cell) {
    return c.b.mul(c.sliced(peepholes, 0, i * r.hidden, r.hidden), cell);
  };
  const auto initial = [&](std::size_t i) {
    const auto s = state(c, r, i);
    return s ? of_direction(c, *s, d) : c.expand(c.scalar_like(r.x, 0), {r.batch, r.hidden});
  };
  const auto steps = static_cast<std::uint32_t>(r.steps.number());
  States out{.hidden = std::vector<MLOperand>(steps), .last = initial(5), .cell = initial(6)};
  for (std::uint32_t i = 0; i < steps; ++i) {
    const std::uint32_t t = is_backward(r, d) ? steps - 1 - i : i;
    const MLOperand all = gates_of(c, r, d, t, out.last);
    const auto gate = [&](std::uint32_t k) { return c.sliced(all, 1, k * r.hidden, r.hidden); };
    const MLOperand in = activated(c, c.b.add(gate(0), peephole(0, out.cell)), f[0]);
    const MLOperand forget = activated(c, c.b.add(gate(2), peephole(2, out.cell)), f[0]);
    out.cell = c.b.add(c.b.mul(forget, out.cell), c.b.mul(in, activated(c, gate(3), f[1])));
    const MLOperand output = activated(c, c.b.add(gate(1), peephole(1, out.cell)), f[0]);
    out.last = c.b.mul(output, activated(c, out.cell, f[2]));
    out.hidden[t] = out.last;
  }
  return out;
}

void lstm(Call& c) {
  const Recurrent r = recurrent_of(c, 4);
  if (c.integer("input_forget", 0) != 0) c.unsupported("input_forget");
  if (c.has(7)) {
    if (c.x(7).shape() != Dims{r.directions, 3 * r.hidden})
      c.refuse(fail("P has shape {}", c.x(7).shape()));
    put_unrolled(c, r, [&](std::uint32_t d) { return peephole_states(c, r, d); });
    return;
  }
  MLLstmOptions o{.bias = r.bias,
                  .recurrentBias = r.recurrent_bias,
                  .initialHiddenState = state(c, r, 5),
                  .initialCellState = state(c, r, 6),
                  .returnSequence = c.has_output(0),
                  .direction = r.direction,
                  .activations = activations_of(c, 3),
                  .label = c.label()};
  const auto y = c.b.lstm(r.x, r.weight, r.recurrent, static_cast<std::uint32_t>(r.steps.number()),
                          r.hidden, o);
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
  const auto y = c.b.gru(r.x, r.weight, r.recurrent, static_cast<std::uint32_t>(r.steps.number()),
                         r.hidden, o);
  if (c.has_output(0)) put_sequence(c, r, y.at(1));
  put_state(c, r, y.at(0), 1);
}

/// The states of one direction of an RNN: h = f(x W^T + h R^T + biases).
States simple_states(Call& c, const Recurrent& r, std::uint32_t d) {
  const Activations f = activations_of(c, 1);
  const auto first = state(c, r, 5);
  const auto steps = static_cast<std::uint32_t>(r.steps.number());
  States out{.hidden = std::vector<MLOperand>(steps)};
  std::optional<MLOperand> h;
  if (first) h = of_direction(c, *first, d);
  for (std::uint32_t i = 0; i < steps; ++i) {
    const std::uint32_t t = is_backward(r, d) ? steps - 1 - i : i;
    h = activated(c, gates_of(c, r, d, t, h), f ? (*f)[0] : MLRecurrentNetworkActivation::tanh);
    out.hidden[t] = *h;
  }
  out.last = *h;
  return out;
}

void rnn(Call& c) {
  const Recurrent r = recurrent_of(c, 1);
  put_unrolled(c, r, [&](std::uint32_t d) { return simple_states(c, r, d); });
}

constexpr Handler handlers[] = {
    {"GRU", &gru, 1, 3, 6, 2, "sequences of equal lengths; Relu, Sigmoid, Tanh; without clip"},
    {"LSTM", &lstm, 1, 3, 8, 3, "as GRU, without input_forget; with peepholes unrolled"},
    {"RNN", &rnn, 1, 3, 6, 2, "as GRU; unrolled"},
};

}  // namespace

std::span<const Handler> recurrent_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
