#include "src/draft2023/unrolled.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::draft2023 {

MLOperand Unrolled::add(const MLOperand& x, const MLOperand& y) {
  return b_.add(x, y, {.label = label_});
}
MLOperand Unrolled::mul(const MLOperand& x, const MLOperand& y) {
  return b_.mul(x, y, {.label = label_});
}

MLOperand Unrolled::product(const MLOperand& x, const MLOperand& weight, const MLOperand& bias) {
  const std::optional<MLOperand> c = bias ? std::optional(bias) : std::nullopt;
  return b_.gemm(x, weight, {.c = c, .bTranspose = true, .label = label_});
}

std::vector<MLOperand> Unrolled::parts(const MLOperand& x, std::uint32_t count) {
  return b_.split(x, count, {.label = label_});
}
std::vector<MLOperand> Unrolled::parts(const std::optional<MLOperand>& x, std::uint32_t count) {
  return x ? parts(*x, count) : std::vector<MLOperand>(count);
}

MLOperand Unrolled::at(const MLOperand& x, std::uint32_t i) {
  Dims starts(x.rank(), 0), sizes = x.shape();
  starts[0] = i;
  sizes[0] = 1;
  const MLOperand part = b_.slice(x, starts, sizes, {.label = label_});
  return b_.reshape(part, Dims(sizes.begin() + 1, sizes.end()), {.label = label_});
}
std::optional<MLOperand> Unrolled::at(const std::optional<MLOperand>& x, std::uint32_t i) {
  return x ? std::optional(at(*x, i)) : std::nullopt;
}

MLOperand Unrolled::lifted(const MLOperand& x, int dimensions) {
  Dims shape(static_cast<std::size_t>(dimensions), 1);
  shape.insert(shape.end(), x.shape().begin(), x.shape().end());
  return b_.reshape(x, std::move(shape), {.label = label_});
}

MLOperand Unrolled::zeros(MLOperandDataType type, Dims shape) {
  return b_.expand(b_.constant(type, 0), std::move(shape), {.label = label_});
}

template <class Cell>
void Unrolled::run(std::uint32_t steps, bool backward, std::vector<MLOperand>& state,
                   std::vector<std::vector<MLOperand>>* sequence, Cell&& cell) {
  for (std::uint32_t i = 0; i < steps; ++i) {
    const std::uint32_t t = backward ? steps - 1 - i : i;
    state = cell(t, state);
    if (sequence) (*sequence)[t].push_back(state.front());
  }
}

MLOperand Unrolled::stacked(const std::vector<std::vector<MLOperand>>& sequence) {
  std::vector<MLOperand> steps;
  for (const auto& directions : sequence) {
    std::vector<MLOperand> lifted_all;
    for (const MLOperand& x : directions) lifted_all.push_back(lifted(x, 2));
    steps.push_back(b_.concat(std::move(lifted_all), 1, {.label = label_}));
  }
  return b_.concat(std::move(steps), 0, {.label = label_});
}

void Unrolled::check_steps(std::uint32_t steps, const char* op) const {
  constexpr std::uint32_t max_steps = 4096;
  if (steps > max_steps)
    raise({fail("the steps ({}) are more than {}: with these activations each step becomes "
                "operators of its own",
                steps, max_steps)
               .message,
           ErrorName::DataError},
          op, label_);
}

// z, r, n are the update, reset and new gate.
MLOperand Unrolled::gru_cell(const ops::gruCell& op, const List& activations) {
  const auto& o = op.options;
  const int z = o.layout == MLGruWeightLayout::zrn ? 0 : 1, r = 1 - z, n = 2;
  const auto w = parts(op.weight, 3), rw = parts(op.recurrentWeight, 3);
  const auto bias = parts(o.bias, 3), rbias = parts(o.recurrentBias, 3);
  const MLOperand &x = op.input, &h = op.hiddenState;
  const auto gate = [&](int g) {
    return activations[0].apply(b_, add(product(x, w[g], bias[g]), product(h, rw[g], rbias[g])));
  };
  const MLOperand update = gate(z), reset = gate(r);
  const MLOperand recurrent = o.resetAfter ? mul(reset, product(h, rw[n], rbias[n]))
                                           : product(mul(reset, h), rw[n], rbias[n]);
  const MLOperand fresh = activations[1].apply(b_, add(product(x, w[n], bias[n]), recurrent));
  const MLOperand rest = b_.sub(b_.constant(x.dataType(), 1), update, {.label = label_});
  return add(mul(update, h), mul(rest, fresh));
}

std::vector<MLOperand> Unrolled::gru(const ops::gru& op, const List& activations) {
  using enum MLRecurrentNetworkDirection;
  check_steps(op.steps, "gru");
  const auto& o = op.options;
  const Dims state_shape{op.input.shape()[1], op.hiddenSize};
  std::vector<std::vector<MLOperand>> sequence(op.steps);
  std::vector<MLOperand> last;
  for (std::uint32_t d = 0; d < shape::directions(o.direction); ++d) {
    ops::gruCell cell;
    cell.weight = at(op.weight, d);
    cell.recurrentWeight = at(op.recurrentWeight, d);
    cell.hiddenSize = op.hiddenSize;
    cell.options = {.bias = at(o.bias, d),
                    .recurrentBias = at(o.recurrentBias, d),
                    .resetAfter = o.resetAfter,
                    .layout = o.layout};
    std::vector<MLOperand> state{o.initialHiddenState ? at(*o.initialHiddenState, d)
                                                      : zeros(op.input.dataType(), state_shape)};
    run(op.steps, o.direction == backward || d == 1, state, o.returnSequence ? &sequence : nullptr,
        [&](std::uint32_t t, const auto& before) {
          cell.input = at(op.input, t);
          cell.hiddenState = before[0];
          return std::vector{gru_cell(cell, activations)};
        });
    last.push_back(lifted(state[0], 1));
  }
  std::vector<MLOperand> results{b_.concat(std::move(last), 0, {.label = label_})};
  if (o.returnSequence) results.push_back(stacked(sequence));
  return results;
}

// i, o, f, g are the input, output, forget and cell gate.
std::vector<MLOperand> Unrolled::lstm_cell(const ops::lstmCell& op, const List& activations) {
  const auto& options = op.options;
  const bool iofg = options.layout == MLLstmWeightLayout::iofg;
  const int i = 0, o = iofg ? 1 : 3, f = iofg ? 2 : 1, g = iofg ? 3 : 2;
  const auto w = parts(op.weight, 4), rw = parts(op.recurrentWeight, 4);
  const auto bias = parts(options.bias, 4), rbias = parts(options.recurrentBias, 4);
  const auto peephole = parts(options.peepholeWeight, 3);  // input, output, forget, always
  const auto sum = [&](int gate, const MLOperand& peep) {
    const MLOperand both =
        add(product(op.input, w[gate], bias[gate]), product(op.hiddenState, rw[gate], rbias[gate]));
    return peep ? add(both, mul(op.cellState, peep)) : both;
  };
  const MLOperand input = activations[0].apply(b_, sum(i, peephole[0]));
  const MLOperand output = activations[0].apply(b_, sum(o, peephole[1]));
  const MLOperand forget = activations[0].apply(b_, sum(f, peephole[2]));
  const MLOperand fresh = activations[1].apply(b_, sum(g, {}));
  const MLOperand cell = add(mul(forget, op.cellState), mul(input, fresh));
  return {mul(output, activations[2].apply(b_, cell)), cell};
}

std::vector<MLOperand> Unrolled::lstm(const ops::lstm& op, const List& activations) {
  using enum MLRecurrentNetworkDirection;
  check_steps(op.steps, "lstm");
  const auto& o = op.options;
  const Dims state_shape{op.input.shape()[1], op.hiddenSize};
  const auto initial = [&](const std::optional<MLOperand>& x, std::uint32_t d) {
    return x ? at(*x, d) : zeros(op.input.dataType(), state_shape);
  };
  std::vector<std::vector<MLOperand>> sequence(op.steps);
  std::vector<MLOperand> hidden, cells;
  for (std::uint32_t d = 0; d < shape::directions(o.direction); ++d) {
    ops::lstmCell cell;
    cell.weight = at(op.weight, d);
    cell.recurrentWeight = at(op.recurrentWeight, d);
    cell.hiddenSize = op.hiddenSize;
    cell.options = {.bias = at(o.bias, d),
                    .recurrentBias = at(o.recurrentBias, d),
                    .peepholeWeight = at(o.peepholeWeight, d),
                    .layout = o.layout};
    std::vector<MLOperand> state{initial(o.initialHiddenState, d), initial(o.initialCellState, d)};
    run(op.steps, o.direction == backward || d == 1, state, o.returnSequence ? &sequence : nullptr,
        [&](std::uint32_t t, const auto& before) {
          cell.input = at(op.input, t);
          cell.hiddenState = before[0];
          cell.cellState = before[1];
          return lstm_cell(cell, activations);
        });
    hidden.push_back(lifted(state[0], 1));
    cells.push_back(lifted(state[1], 1));
  }
  std::vector<MLOperand> results{b_.concat(std::move(hidden), 0, {.label = label_}),
                                 b_.concat(std::move(cells), 0, {.label = label_})};
  if (o.returnSequence) results.push_back(stacked(sequence));
  return results;
}

}  // namespace webnn::inline v0_1::draft2023
