#include "tests/ops/lstm_network.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using enum MLLstmWeightLayout;

void check_lstm_cell(const Network& n, const LstmRules& rules) {
  std::vector<Tensor> in;
  for (const Tensor* x :
       {&n.input, &n.weight, &n.recurrent_weight, &*n.hidden_state, &*n.cell_state})
    in.push_back(without_first(*x));
  for (const auto* x : {&n.bias, &n.recurrent_bias, &n.peephole})
    if (*x) in.push_back(without_first(**x));
  const auto build = [&](MLGraphBuilder& b, Build::Operands x) {
    MLLstmCellOptions o{.layout = rules.layout, .activations = rules.activations};
    std::size_t next = 5;
    if (n.bias) o.bias = x[next++];
    if (n.recurrent_bias) o.recurrentBias = x[next++];
    if (n.peephole) o.peepholeWeight = x[next++];
    return b.lstmCell(x[0], x[1], x[2], x[3], x[4], n.hidden, o);
  };
  const std::vector<Tensor> y = expected_lstm(n, rules);
  check({build,
         in,
         {without_first(y[0]), without_first(y[1])},
         tolerance_of("lstmCell", n.input.type)});
}

}  // namespace

TEST_CASE("lstmCell: both layouts, operands left out", "[lstmCell]") {
  Random random(431);
  for_each_type(types::floats, [&](MLOperandDataType type) {
    for (auto layout : {iofg, ifgo})
      for (unsigned present : {24, 25, 26, 28, 31}) {
        Network n{.batch = random.integer(1, 3),
                  .inputs = random.integer(1, 4),
                  .hidden = random.integer(1, 5),
                  .gates = 4};
        fill(n, random, type, present);
        check_lstm_cell(n, {.layout = layout});
      }
  });
}

TEST_CASE("lstmCell: every triple of activations", "[lstmCell]") {
  Random random(432);
  for (const auto& activations : activation_lists(3)) {
    Network n{.batch = 2, .inputs = 3, .hidden = 4, .gates = 4};
    fill(n, random, float32, 31);
    check_lstm_cell(n, {.activations = activations});
  }
}

TEST_CASE("lstmCell: in many tiles", "[lstmCell]") {
  Random random(433);
  Network n{.batch = 67, .inputs = 31, .hidden = 29, .gates = 4};
  fill(n, random, float32, 31);
  check_lstm_cell(n, {});
}

TEST_CASE("lstmCell: gate by gate", "[lstmCell]") {
  Random random(434);
  const std::uint32_t N = 3, I = 4, H = 5;
  const auto cell = [=](auto& b, auto x) {
    return b.lstmCell(x[0], x[1], x[2], x[3], x[4], H,
                      {.bias = x[5], .recurrentBias = x[6], .peepholeWeight = x[7]});
  };
  const auto gates = [=](auto& b, auto x) {
    const auto rows = [&](const MLOperand& w, std::uint32_t gate) {
      return b.transpose(b.slice(w, {gate * H, 0}, {H, w.shape()[1]}));
    };
    const auto block = [&](const MLOperand& v, std::uint32_t gate) {
      return b.slice(v, {gate * H}, {H});
    };
    const auto sum = [&](std::uint32_t gate) {
      return b.add(b.add(b.matmul(x[0], rows(x[1], gate)), block(x[5], gate)),
                   b.add(b.matmul(x[3], rows(x[2], gate)), block(x[6], gate)));
    };
    const auto peep = [&](std::uint32_t gate) {
      return b.sigmoid(b.add(sum(gate), b.mul(block(x[7], gate), x[4])));
    };
    const MLOperand c = b.add(b.mul(peep(2), x[4]), b.mul(peep(0), b.tanh(sum(3))));
    return std::vector<MLOperand>{b.mul(peep(1), b.tanh(c)), c};
  };
  check_same(cell, gates,
             {random.tensor(float32, {N, I}, -1, 1), random.tensor(float32, {4 * H, I}, -1, 1),
              random.tensor(float32, {4 * H, H}, -1, 1), random.tensor(float32, {N, H}, -1, 1),
              random.tensor(float32, {N, H}, -1, 1), random.tensor(float32, {4 * H}, -1, 1),
              random.tensor(float32, {4 * H}, -1, 1), random.tensor(float32, {3 * H}, -1, 1)},
             within_rounding);
}
