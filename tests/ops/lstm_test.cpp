#include "tests/ops/lstm_network.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using enum MLRecurrentNetworkDirection;
using enum MLLstmWeightLayout;

/// The operands that are present, in the order of build_lstm.
std::vector<Tensor> operands(const Network& n) {
  std::vector<Tensor> all{n.input, n.weight, n.recurrent_weight};
  for (const auto* x : {&n.bias, &n.recurrent_bias, &n.peephole, &n.hidden_state, &n.cell_state})
    if (*x) all.push_back(**x);
  return all;
}

Build build_lstm(const Network& n, const LstmRules& rules, bool sequence) {
  return [=](MLGraphBuilder& b, Build::Operands x) {
    MLLstmOptions o{.returnSequence = sequence,
                    .direction = n.direction,
                    .layout = rules.layout,
                    .activations = rules.activations};
    std::size_t next = 3;
    if (n.bias) o.bias = x[next++];
    if (n.recurrent_bias) o.recurrentBias = x[next++];
    if (n.peephole) o.peepholeWeight = x[next++];
    if (n.hidden_state) o.initialHiddenState = x[next++];
    if (n.cell_state) o.initialCellState = x[next++];
    return b.lstm(x[0], x[1], x[2], n.steps, n.hidden, o);
  };
}

void check_lstm(const Network& n, const LstmRules& rules) {
  const std::vector<Tensor> y = expected_lstm(n, rules), in = operands(n);
  const Tolerance tolerance = tolerance_of("lstm", n.input.type);
  check({build_lstm(n, rules, true), in, y, tolerance});
  check({build_lstm(n, rules, false), in, {y[0], y[1]}, tolerance, {1, 2}});
}

}  // namespace

TEST_CASE("lstm: known results", "[lstm]") {
  const Tolerance six_decimals{.absolute = 1e-6};
  Network n{.steps = 3, .gates = 4, .direction = both};
  n.input = tensor(float32, {3, 1, 1}, {1, 2, -1});
  n.weight = tensor(float32, {2, 4, 1}, {.1, .2, .3, .4, .5, -.6, .7, -.8});
  n.recurrent_weight = tensor(float32, {2, 4, 1}, {.2, -.1, .4, .3, -.5, .6, .1, .2});
  Network plain = n;
  n.bias = tensor(float32, {2, 4}, {.01, .02, .03, .04, .05, .06, .07, .08});
  n.recurrent_bias = tensor(float32, {2, 4}, {.1, -.1, .2, -.2, .3, -.3, .4, -.4});
  n.peephole = tensor(float32, {2, 3}, {.5, .6, .7, -.5, .4, .3});
  n.hidden_state = tensor(float32, {2, 1, 1}, {.25, -.25});
  n.cell_state = tensor(float32, {2, 1, 1}, {.5, -1});
  const auto known = [&](MLLstmWeightLayout layout, const std::vector<double>& h,
                         const std::vector<double>& c, const std::vector<double>& sequence) {
    check({build_lstm(n, {.layout = layout}, true),
           operands(n),
           {tensor(float32, {2, 1, 1}, h), tensor(float32, {2, 1, 1}, c),
            tensor(float32, {3, 2, 1, 1}, sequence)},
           six_decimals});
  };
  known(iofg, {.166563, -.1878}, {.315182, -1.268},
        {.300889, -.1878, .449053, -.126462, .166563, -.051735});
  known(ifgo, {.310535, .197479}, {.648824, .765848},
        {.372542, .197479, .56005, .060372, .310535, -.283706});

  plain.direction = forward;
  plain.weight = tensor(float32, {1, 4, 1}, {.1, .2, .3, .4});
  plain.recurrent_weight = tensor(float32, {1, 4, 1}, {.2, -.1, .4, .3});
  const LstmRules relu{.activations = std::vector(3, Activation::relu)};
  check({[=](auto& b, auto x) {
           return std::vector<MLOperand>{build_lstm(plain, relu, true).all(b, x).back()};
         },
         operands(plain),
         {tensor(float32, {3, 1, 1, 1}, {.008, .074208, 0})},
         six_decimals});
}

TEST_CASE("lstm: every direction and layout, operands left out", "[lstm]") {
  Random random(421);
  for_each_type(types::floats, [&](MLOperandDataType type) {
    for (auto direction : {forward, backward, both})
      for (auto layout : {iofg, ifgo})
        for (unsigned present : {0, 1, 2, 4, 8, 16, 20, 31}) {
          Network n{.steps = random.integer(1, 4),
                    .batch = random.integer(1, 3),
                    .inputs = random.integer(1, 4),
                    .hidden = random.integer(1, 5),
                    .gates = 4,
                    .direction = direction};
          fill(n, random, type, present);
          check_lstm(n, {.layout = layout});
        }
  });
}

TEST_CASE("lstm: every triple of activations", "[lstm]") {
  Random random(422);
  for (const auto& activations : activation_lists(3)) {
    Network n{.steps = 2, .batch = 2, .inputs = 3, .hidden = 4, .gates = 4, .direction = both};
    fill(n, random, float32, 31);
    check_lstm(n, {.activations = activations});
  }
}

TEST_CASE("lstm: in many tiles", "[lstm]") {
  Random random(423);
  Network n{.steps = 5, .batch = 37, .inputs = 19, .hidden = 23, .gates = 4, .direction = both};
  fill(n, random, float32, 31);
  check_lstm(n, {});
}

TEST_CASE("lstm: one cell after the other", "[lstm]") {
  Random random(424);
  Network n{.steps = 4, .batch = 3, .inputs = 5, .hidden = 6, .gates = 4, .direction = both};
  fill(n, random, float32, 31);
  const auto unrolled = [&](MLGraphBuilder& b, Build::Operands x) {
    std::vector<MLOperand> last, cells, sequences;
    for (std::uint32_t d : {0, 1}) {
      MLOperand h = part(b, x[6], d), c = part(b, x[7], d), sequence;
      for (std::uint32_t s = 0; s < n.steps; ++s) {
        const auto next = b.lstmCell(part(b, x[0], d ? n.steps - 1 - s : s), part(b, x[1], d),
                                     part(b, x[2], d), h, c, n.hidden,
                                     {.bias = part(b, x[3], d),
                                      .recurrentBias = part(b, x[4], d),
                                      .peepholeWeight = part(b, x[5], d)});
        h = next[0];
        c = next[1];
        const MLOperand step = b.reshape(h, {1, 1, n.batch, n.hidden});
        if (!sequence) sequence = step;
        else sequence = d ? b.concat({step, sequence}, 0) : b.concat({sequence, step}, 0);
      }
      last.push_back(b.reshape(h, {1, n.batch, n.hidden}));
      cells.push_back(b.reshape(c, {1, n.batch, n.hidden}));
      sequences.push_back(sequence);
    }
    return std::vector<MLOperand>{b.concat(last, 0), b.concat(cells, 0), b.concat(sequences, 1)};
  };
  check_same(build_lstm(n, {}, true), unrolled, operands(n), within_rounding);
}
