// LSTM, GRU and RNN. X is [steps, N, I], W [D, gates * H, I], R [D, gates * H, H], B both biases.
#include "src/formats/onnx/import/recurrent.h"

namespace webnn::inline v0_1::onnx {

void put_sequence(Call& c, const Recurrent& r, const MLOperand& y) {
  c.put(r.batch_first ? c.b.transpose(y, {.permutation = {2, 0, 1, 3}}) : y, 0);
}
void put_state(Call& c, const Recurrent& r, const MLOperand& y, std::size_t i) {
  c.put(r.batch_first ? c.b.transpose(y, {.permutation = {1, 0, 2}}) : y, i);
}

namespace {

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
  r.hidden = c.dimension(c.has_attribute("hidden_size") ? c.integer("hidden_size", 0)
                                                        : Size::dimension(r.recurrent, 2).number(),
                         "hidden_size");
  const std::string_view name = c.text("direction", "forward");
  using enum MLRecurrentNetworkDirection;
  if (name == "forward") r.direction = forward;
  else if (name == "reverse") r.direction = backward;
  else if (name == "bidirectional") r.direction = both;
  else c.refuse(fail("its direction, {}", in_quotes(name)));
  r.directions = r.direction == both ? 2 : 1;
  const std::uint32_t rows = c.dimension(std::int64_t{gates} * r.hidden, "the number of rows of W");
  c.require_shape(r.weight, {r.directions, rows, Size::dimension(r.x, 2)}, "W");
  c.require_shape(r.recurrent, {r.directions, rows, r.hidden}, "R");
  if (c.has(3)) {
    const MLOperand all = c.x(3);
    c.require_shape(all, {r.directions, 2 * std::uint64_t{rows}}, "B");
    r.bias = c.sliced(all, 1, 0, rows);
    r.recurrent_bias = c.sliced(all, 1, rows, rows);
  }
  set_lengths(c, r);
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

void check_steps(Call& c, const Recurrent& r) {
  constexpr std::uint32_t most = 4096;
  if (r.steps.number() > most)
    c.unsupported(fail("its {} steps are more than {}", r.steps.number(), most));
}

/// The part of a weight that is of one direction, without the dimension of directions.
MLOperand row_of(Call& c, const MLOperand& v, std::uint32_t d) {
  const SizeList sizes = formats::sizes_of(v);
  return c.reshaped(c.sliced(v, 0, d, 1), SizeList(sizes.begin() + 1, sizes.end()));
}

/// The same with a dimension of 1.
MLOperand part_of(Call& c, const MLOperand& v, std::uint32_t d) { return c.sliced(v, 0, d, 1); }

/// Options of one direction, forward.
template <class Options> Options part_of(Call& c, Options o, std::uint32_t d) {
  const auto take = [&](std::optional<MLOperand>& x) {
    if (x) x = part_of(c, *x, d);
  };
  take(o.bias);
  take(o.recurrentBias);
  take(o.initialHiddenState);
  if constexpr (requires { o.initialCellState; }) take(o.initialCellState);
  o.direction = MLRecurrentNetworkDirection::forward;
  return o;
}

/// What the steps of one direction give.
struct States {
  std::vector<MLOperand> hidden{};  // by the place of the step in X
  MLOperand last, cell;
};

/// x W^T + h R^T + biases.
MLOperand gates_of(Call& c, const Recurrent& r, std::uint32_t d, std::uint32_t t,
                   const MLOperand& h) {
  std::optional<MLOperand> bias;
  if (r.bias) bias = c.b.add(row_of(c, *r.bias, d), row_of(c, *r.recurrent_bias, d));
  const MLOperand x = c.reshaped(c.sliced(r.x, 0, t, 1), {r.batch, Size::dimension(r.x, 2)});
  const MLOperand sum = c.b.gemm(x, row_of(c, r.weight, d), {.c = bias, .bTranspose = true});
  return c.b.gemm(h, row_of(c, r.recurrent, d), {.c = sum, .bTranspose = true});
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
  const MLOperand peepholes = row_of(c, c.x(7), d);
  const auto peephole = [&](std::uint32_t i, const MLOperand& cell) {
    return c.b.mul(c.sliced(peepholes, 0, i * r.hidden, r.hidden), cell);
  };
  const auto initial = [&](std::size_t i) {
    const auto s = state(c, r, i);
    return s ? row_of(c, *s, d) : c.expand(c.scalar_like(r.x, 0), {r.batch, r.hidden});
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

void put_with_peepholes(Call& c, const Recurrent& r) {
  check_steps(c, r);
  std::vector<MLOperand> sequences, last, cells;
  for (std::uint32_t d = 0; d < r.directions; ++d) {
    const States states = peephole_states(c, r, d);
    std::vector<MLOperand> steps;
    for (const MLOperand& s : states.hidden)
      steps.push_back(c.reshape(s, {1, 1, r.batch, r.hidden}));
    sequences.push_back(c.b.concat(steps, 0));
    last.push_back(c.reshape(states.last, {1, r.batch, r.hidden}));
    cells.push_back(c.reshape(states.cell, {1, r.batch, r.hidden}));
  }
  put_sequence(c, r, c.b.concat(sequences, 1));
  put_state(c, r, c.b.concat(last, 0), 1);
  put_state(c, r, c.b.concat(cells, 0), 2);
}

/// Behind the end of a sequence the forget gate is 1 and the input gate is 0, so that cells remain:
/// another input, 1 there, has weights beyond all others.
Direction lstm_direction(Call& c, const Recurrent& r, const MLLstmOptions& o, const PaddedInput& in,
                         std::uint32_t d) {
  MLOperand x = in.x, weight = part_of(c, r.weight, d);
  const bool has_cells = c.has_output(2);
  if (has_cells) {
    if (o.activations && o.activations->front() != MLRecurrentNetworkActivation::sigmoid)
      c.unsupported("Y_c of sequences of different lengths, with gates other than Sigmoid");
    const double most = x.dataType() == float16 ? 6e4 : 1e30;
    const auto gate = [&](double v) { return c.expand(c.scalar_like(x, v), {1, r.hidden, 1}); };
    const MLOperand gates = c.b.concat({gate(-most), gate(0), gate(most), gate(0)}, 1);  // iofg
    x = c.b.concat({x, in.rest}, 2);
    weight = c.b.concat({weight, gates}, 2);
  }
  const auto y =
      c.b.lstm(x, weight, part_of(c, r.recurrent, d), r.step_count(), r.hidden, part_of(c, o, d));
  return {y.at(2), has_cells ? std::optional(y.at(1)) : std::nullopt};
}

void lstm(Call& c) {
  const Recurrent r = recurrent_of(c, 4);
  if (c.integer("input_forget", 0) != 0) c.unsupported("input_forget");
  if (c.has(7)) {
    c.require_shape(c.x(7), {r.directions, 3 * std::uint64_t{r.hidden}}, "P");
    if (r.lengths) c.unsupported("sequences of different lengths with peepholes");
    return put_with_peepholes(c, r);
  }
  MLLstmOptions o{.bias = r.bias,
                  .recurrentBias = r.recurrent_bias,
                  .initialHiddenState = state(c, r, 5),
                  .initialCellState = state(c, r, 6),
                  .returnSequence = r.lengths || c.has_output(0),
                  .direction = r.direction,
                  .activations = activations_of(c, 3),
                  .label = c.label()};
  if (r.lengths)
    return put_by_lengths(c, r, [&](const PaddedInput& in, std::uint32_t d) {
      return lstm_direction(c, r, o, in, d);
    });
  const auto y = c.b.lstm(r.x, r.weight, r.recurrent, r.step_count(), r.hidden, o);
  if (c.has_output(0)) put_sequence(c, r, y.at(2));
  put_state(c, r, y.at(0), 1);
  put_state(c, r, y.at(1), 2);
}

void put_gru(Call& c, const Recurrent& r, const MLOperand& weight, const MLOperand& recurrent,
             MLGruOptions o) {
  o.returnSequence = r.lengths || c.has_output(0);
  o.direction = r.direction;
  o.label = c.label();
  if (r.lengths)
    return put_by_lengths(c, r, [&](const PaddedInput& in, std::uint32_t d) {
      return Direction{c.b.gru(in.x, part_of(c, weight, d), part_of(c, recurrent, d),
                               r.step_count(), r.hidden, part_of(c, o, d))
                           .at(1)};
    });
  const auto y = c.b.gru(r.x, weight, recurrent, r.step_count(), r.hidden, o);
  if (c.has_output(0)) put_sequence(c, r, y.at(1));
  put_state(c, r, y.at(0), 1);
}

void gru(Call& c) {
  const Recurrent r = recurrent_of(c, 3);
  put_gru(c, r, r.weight, r.recurrent,
          {.bias = r.bias,
           .recurrentBias = r.recurrent_bias,
           .initialHiddenState = state(c, r, 5),
           .resetAfter = c.integer("linear_before_reset", 0) != 0,
           .activations = activations_of(c, 2)});
}

/// h = f(x W^T + h R^T + biases) is a gru whose update gate is 0 and whose reset gate is 1. Its
/// weights are zrn of x and h, where those of z and r are 0, and their biases beyond all others.
struct AsGru {
  MLOperand weight, recurrent;
  MLGruOptions options;
};

AsGru as_gru(Call& c, const Recurrent& r) {
  const std::uint32_t n = r.directions, h = r.hidden;
  const MLOperandDataType type = r.x.dataType();
  const auto behind_gates = [&](const MLOperand& x) {
    Shape shape = formats::sizes_of(x);
    shape[1] = 2 * h;
    return c.b.concat({c.expand(c.scalar_like(x, 0), shape), x}, 1);
  };
  const auto filled = [&](double v) { return c.expand(c.scalar(type, v), {n, h}); };
  const double most = type == float16 ? 6e4 : 1e4;  // whose sigmoid is 1, and 0 with the other sign
  AsGru g{.weight = behind_gates(r.weight), .recurrent = behind_gates(r.recurrent)};
  g.options.bias = c.b.concat({filled(-most), filled(most), r.bias ? *r.bias : filled(0)}, 1);
  if (r.recurrent_bias) g.options.recurrentBias = behind_gates(*r.recurrent_bias);
  const Activations given = activations_of(c, 1);
  using enum MLRecurrentNetworkActivation;
  g.options.activations = std::vector{sigmoid, given ? given->front() : tanh};
  return g;
}

void rnn(Call& c) {
  const Recurrent r = recurrent_of(c, 1);
  AsGru g = as_gru(c, r);
  g.options.initialHiddenState = state(c, r, 5);
  g.options.resetAfter = true;
  put_gru(c, r, g.weight, g.recurrent, std::move(g.options));
}

constexpr Handler handlers[] = {
    {"GRU", &gru, 1, 3, 6, 2, "Relu, Sigmoid, Tanh; without clip"},
    {"LSTM", &lstm, 1, 3, 8, 3,
     "as GRU, without input_forget; with peepholes unrolled, for a known number of steps"},
    {"RNN", &rnn, 1, 3, 6, 2, "as GRU"},
};

}  // namespace

std::span<const Handler> recurrent_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
