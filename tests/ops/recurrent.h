// The recurrent networks of tests, element by element in double.
#pragma once

#include <cmath>

#include "tests/support/run.h"

namespace webnn::inline v0_1::test {

using Activation = MLRecurrentNetworkActivation;

/// For networks put together from other operators: those round to float32 in between, values of
/// the order of 1, whose differences may be small. Units of a small result say nothing then.
inline constexpr Tolerance within_rounding{.absolute = 1e-6};

inline double activate(Activation f, double v) {
  switch (f) {
    case Activation::relu: return std::max(v, 0.0);
    case Activation::sigmoid: return 1 / (1 + std::exp(-v));
    case Activation::tanh: return std::tanh(v);
  }
  return v;
}

/// Operands by name; the sizes of a network. A cell is a network of one step in one direction.
struct Network {
  std::uint32_t steps = 1, batch = 1, inputs = 1, hidden = 1, gates = 3;
  MLRecurrentNetworkDirection direction = MLRecurrentNetworkDirection::forward;
  Tensor input{}, weight{}, recurrent_weight{};
  std::optional<Tensor> bias{}, recurrent_bias{}, peephole{}, hidden_state{}, cell_state{};

  std::uint32_t directions() const {
    return direction == MLRecurrentNetworkDirection::both ? 2 : 1;
  }
  bool backward(std::uint32_t d) const {
    return d == 1 || direction == MLRecurrentNetworkDirection::backward;
  }
  double x(std::uint32_t t, std::uint32_t n, std::uint32_t i) const {
    return input[(std::size_t{t} * batch + n) * inputs + i];
  }
  /// The sum of a gate over the input, with its bias. `row` counts within the gates of direction d.
  double from_input(std::uint32_t d, std::uint32_t row, std::uint32_t t, std::uint32_t n) const {
    const std::size_t at = std::size_t{d} * gates * hidden + row;
    double sum = bias ? (*bias)[at] : 0;
    for (std::uint32_t i = 0; i < inputs; ++i) sum += x(t, n, i) * weight[at * inputs + i];
    return sum;
  }
  /// The sum of a gate over a state, with its bias.
  double from_state(std::uint32_t d, std::uint32_t row, const std::vector<double>& state) const {
    const std::size_t at = std::size_t{d} * gates * hidden + row;
    double sum = recurrent_bias ? (*recurrent_bias)[at] : 0;
    for (std::uint32_t i = 0; i < hidden; ++i) sum += state[i] * recurrent_weight[at * hidden + i];
    return sum;
  }
  /// The states of a batch row before the first step.
  std::vector<double> initial(const std::optional<Tensor>& state, std::uint32_t d,
                              std::uint32_t n) const {
    std::vector<double> row(hidden);
    if (state)
      for (std::uint32_t h = 0; h < hidden; ++h)
        row[h] = (*state)[(std::size_t{d} * batch + n) * hidden + h];
    return row;
  }

  /// step(direction, time, batch row, hidden, cell) changes the two. The results: the last hidden
  /// state, the last cell state and all hidden states, with the shapes of a network.
  template <class F> std::vector<Tensor> run(F&& step) const {
    const std::uint32_t D = directions();
    std::vector<Tensor> y{filled(input.type, {D, batch, hidden}, 0),
                          filled(input.type, {D, batch, hidden}, 0),
                          filled(input.type, {steps, D, batch, hidden}, 0)};
    for (std::uint32_t d = 0; d < D; ++d)
      for (std::uint32_t n = 0; n < batch; ++n) {
        std::vector<double> h = initial(hidden_state, d, n), c = initial(cell_state, d, n);
        const auto write = [&](Tensor& to, std::size_t row, const std::vector<double>& from) {
          for (std::uint32_t i = 0; i < hidden; ++i) to.set(row * hidden + i, from[i]);
        };
        for (std::uint32_t s = 0; s < steps; ++s) {
          const std::uint32_t t = backward(d) ? steps - 1 - s : s;
          step(d, t, n, h, c);
          write(y[2], (std::size_t{t} * D + d) * batch + n, h);
        }
        write(y[0], std::size_t{d} * batch + n, h);
        write(y[1], std::size_t{d} * batch + n, c);
      }
    return y;
  }
};

/// All operands of a network, some optional ones left out: bits of `present` for bias,
/// recurrent bias, peephole, hidden and cell state.
inline void fill(Network& n, Random& random, MLOperandDataType type, unsigned present) {
  const std::uint32_t D = n.directions(), G = n.gates * n.hidden;
  n.input = random.tensor(type, {n.steps, n.batch, n.inputs}, -1, 1);
  n.weight = random.tensor(type, {D, G, n.inputs}, -1, 1);
  n.recurrent_weight = random.tensor(type, {D, G, n.hidden}, -1, 1);
  if (present & 1) n.bias = random.tensor(type, {D, G}, -1, 1);
  if (present & 2) n.recurrent_bias = random.tensor(type, {D, G}, -1, 1);
  if (present & 4) n.peephole = random.tensor(type, {D, 3 * n.hidden}, -1, 1);
  if (present & 8) n.hidden_state = random.tensor(type, {D, n.batch, n.hidden}, -1, 1);
  if (present & 16) n.cell_state = random.tensor(type, {D, n.batch, n.hidden}, -1, 1);
}

/// Without the first dimension, which is 1: the operands and results of a cell.
inline Tensor without_first(Tensor t) {
  t.shape.erase(t.shape.begin());
  return t;
}

/// Lists of activations: all that are allowed, in each place.
inline std::vector<std::vector<Activation>> activation_lists(std::size_t length) {
  std::vector<std::vector<Activation>> all;
  std::size_t count = 1;
  for (std::size_t i = 0; i < length; ++i) count *= 3;
  for (std::size_t code = 0; code < count; ++code) {
    std::vector<Activation> list;
    for (std::size_t i = 0, rest = code; i < length; ++i, rest /= 3)
      list.push_back(static_cast<Activation>(rest % 3));
    all.push_back(list);
  }
  return all;
}

/// One element of the first dimension: a step, a direction.
inline MLOperand part(MLGraphBuilder& b, const MLOperand& x, std::uint32_t i) {
  Dims starts(x.rank()), sizes = x.shape();
  starts[0] = i;
  sizes[0] = 1;
  return b.reshape(b.slice(x, starts, sizes), Dims(sizes.begin() + 1, sizes.end()));
}

}  // namespace webnn::inline v0_1::test
