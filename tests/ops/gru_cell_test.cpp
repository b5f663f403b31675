#include "tests/ops/gru_network.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using enum MLGruWeightLayout;

void check_gru_cell(const Network& n, const GruRules& rules) {
  std::vector<Tensor> in;
  for (const Tensor* x : {&n.input, &n.weight, &n.recurrent_weight, &*n.hidden_state})
    in.push_back(without_first(*x));
  for (const auto* x : {&n.bias, &n.recurrent_bias})
    if (*x) in.push_back(without_first(**x));
  const auto build = [&](MLGraphBuilder& b, Build::Operands x) {
    MLGruCellOptions o{
        .resetAfter = rules.reset_after, .layout = rules.layout, .activations = rules.activations};
    std::size_t next = 4;
    if (n.bias) o.bias = x[next++];
    if (n.recurrent_bias) o.recurrentBias = x[next++];
    return b.gruCell(x[0], x[1], x[2], x[3], n.hidden, o);
  };
  check({build,
         in,
         {without_first(expected_gru(n, rules)[0])},
         tolerance_of("gruCell", n.input.type)});
}

}  // namespace

TEST_CASE("gruCell: both layouts and places of the reset gate, operands left out", "[gruCell]") {
  Random random(411);
  for_each_type(types::floats, [&](MLOperandDataType type) {
    for (auto layout : {zrn, rzn})
      for (bool after : {true, false})
        for (unsigned present : {8, 9, 10, 11}) {
          Network n{.batch = random.integer(1, 3),
                    .inputs = random.integer(1, 4),
                    .hidden = random.integer(1, 5)};
          fill(n, random, type, present);
          check_gru_cell(n, {.reset_after = after, .layout = layout});
        }
  });
}

TEST_CASE("gruCell: every pair of activations", "[gruCell]") {
  Random random(412);
  for (const auto& activations : activation_lists(2)) {
    Network n{.batch = 2, .inputs = 3, .hidden = 4};
    fill(n, random, float32, 11);
    check_gru_cell(n, {.activations = activations});
  }
}

TEST_CASE("gruCell: in many tiles", "[gruCell]") {
  Random random(413);
  Network n{.batch = 67, .inputs = 31, .hidden = 29};
  fill(n, random, float32, 11);
  check_gru_cell(n, {});
}

TEST_CASE("gruCell: gate by gate", "[gruCell]") {
  Random random(414);
  const std::uint32_t N = 3, I = 4, H = 5;
  const auto cell = [=](auto& b, auto x) {
    return b.gruCell(x[0], x[1], x[2], x[3], H, {.bias = x[4], .recurrentBias = x[5]});
  };
  const auto gates = [=](auto& b, auto x) {
    const auto rows = [&](const MLOperand& w, std::uint32_t gate) {
      return b.transpose(b.slice(w, {gate * H, 0}, {H, w.shape()[1]}));
    };
    const auto bias = [&](const MLOperand& v, std::uint32_t gate) {
      return b.slice(v, {gate * H}, {H});
    };
    const auto from_input = [&](std::uint32_t gate) {
      return b.add(b.matmul(x[0], rows(x[1], gate)), bias(x[4], gate));
    };
    const auto from_state = [&](std::uint32_t gate) {
      return b.add(b.matmul(x[3], rows(x[2], gate)), bias(x[5], gate));
    };
    const MLOperand z = b.sigmoid(b.add(from_input(0), from_state(0)));
    const MLOperand r = b.sigmoid(b.add(from_input(1), from_state(1)));
    const MLOperand n = b.tanh(b.add(from_input(2), b.mul(r, from_state(2))));
    return b.add(b.mul(z, x[3]), b.mul(b.sub(b.constant(float32, 1), z), n));
  };
  check_same(cell, gates,
             {random.tensor(float32, {N, I}, -1, 1), random.tensor(float32, {3 * H, I}, -1, 1),
              random.tensor(float32, {3 * H, H}, -1, 1), random.tensor(float32, {N, H}, -1, 1),
              random.tensor(float32, {3 * H}, -1, 1), random.tensor(float32, {3 * H}, -1, 1)},
             within_rounding);
}
