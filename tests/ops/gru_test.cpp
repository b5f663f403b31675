#include "tests/ops/gru_network.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using enum MLRecurrentNetworkDirection;
using enum MLGruWeightLayout;

/// The operands that are present, in the order of build_gru.
std::vector<Tensor> operands(const Network& n) {
  std::vector<Tensor> all{n.input, n.weight, n.recurrent_weight};
  for (const auto* x : {&n.bias, &n.recurrent_bias, &n.hidden_state})
    if (*x) all.push_back(**x);
  return all;
}

Build build_gru(const Network& n, const GruRules& rules, bool sequence) {
  return [=](MLGraphBuilder& b, Build::Operands x) {
    MLGruOptions o{.resetAfter = rules.reset_after,
                   .returnSequence = sequence,
                   .direction = n.direction,
                   .layout = rules.layout,
                   .activations = rules.activations};
    std::size_t next = 3;
    if (n.bias) o.bias = x[next++];
    if (n.recurrent_bias) o.recurrentBias = x[next++];
    if (n.hidden_state) o.initialHiddenState = x[next++];
    return b.gru(x[0], x[1], x[2], n.steps, n.hidden, o);
  };
}

void check_gru(const Network& n, const GruRules& rules) {
  const std::vector<Tensor> y = expected_gru(n, rules), in = operands(n);
  const Tolerance tolerance = tolerance_of("gru", n.input.type);
  check({build_gru(n, rules, true), in, {y[0], y[2]}, tolerance});
  check({build_gru(n, rules, false), in, {y[0]}, tolerance, {1, 2}});
}

Network known_network() {
  Network n{.steps = 3, .direction = both};
  n.input = tensor(float32, {3, 1, 1}, {1, 2, -1});
  n.weight = tensor(float32, {2, 3, 1}, {.1, .2, .3, .4, .5, .6});
  n.recurrent_weight = tensor(float32, {2, 3, 1}, {.7, .8, .9, -.1, -.2, -.3});
  n.bias = tensor(float32, {2, 3}, {.01, .02, .03, .04, .05, .06});
  n.recurrent_bias = tensor(float32, {2, 3}, {.1, -.1, .2, -.2, .3, -.3});
  return n;
}

}  // namespace

TEST_CASE("gru: known results", "[gru]") {
  const Tolerance six_decimals{.absolute = 1e-6};
  const Network n = known_network();
  const auto known = [&](const GruRules& rules, const std::vector<double>& h,
                         const std::vector<double>& sequence) {
    check({build_gru(n, rules, true),
           operands(n),
           {tensor(float32, {2, 1, 1}, h), tensor(float32, {3, 2, 1, 1}, sequence)},
           six_decimals});
  };
  known({}, {.221007, .196329}, {.183696, .196329, .383555, .021356, .221007, -.375965});
  known({.reset_after = false}, {.293741, .139427},
        {.217301, .139427, .419486, -.025776, .293741, -.436485});
  known({.layout = rzn}, {.216913, .075963},
        {.194608, .075963, .386627, -.088276, .216913, -.306894});

  Network back = known_network();
  back.direction = backward;
  back.weight = tensor(float32, {1, 3, 1}, {.1, .2, .3});
  back.recurrent_weight = tensor(float32, {1, 3, 1}, {.7, .8, .9});
  back.bias = tensor(float32, {1, 3}, {.01, .02, .03});
  back.recurrent_bias = tensor(float32, {1, 3}, {.1, -.1, .2});
  check({build_gru(back, {}, true),
         operands(back),
         {tensor(float32, {1, 1, 1}, {.33274}),
          tensor(float32, {3, 1, 1, 1}, {.33274, .213361, -.090477})},
         six_decimals});
}

TEST_CASE("gru: every direction, layout and place of the reset gate, operands left out", "[gru]") {
  Random random(401);
  for_each_type(types::floats, [&](MLOperandDataType type) {
    for (auto direction : {forward, backward, both})
      for (auto layout : {zrn, rzn})
        for (bool after : {true, false})
          for (unsigned present : {0, 1, 2, 8, 11}) {
            Network n{.steps = random.integer(1, 4),
                      .batch = random.integer(1, 3),
                      .inputs = random.integer(1, 4),
                      .hidden = random.integer(1, 5),
                      .direction = direction};
            fill(n, random, type, present);
            check_gru(n, {.reset_after = after, .layout = layout});
          }
  });
}

TEST_CASE("gru: every pair of activations", "[gru]") {
  Random random(402);
  for (const auto& activations : activation_lists(2)) {
    Network n{.steps = 2, .batch = 2, .inputs = 3, .hidden = 4, .direction = both};
    fill(n, random, float32, 11);
    check_gru(n, {.activations = activations});
  }
}

TEST_CASE("gru: in many tiles", "[gru]") {
  Random random(403);
  for (bool after : {true, false}) {
    Network n{.steps = 5, .batch = 37, .inputs = 19, .hidden = 23, .direction = both};
    fill(n, random, float32, 11);
    check_gru(n, {.reset_after = after});
  }
}

TEST_CASE("gru: one cell after the other", "[gru]") {
  Random random(404);
  Network n{.steps = 4, .batch = 3, .inputs = 5, .hidden = 6, .direction = backward};
  fill(n, random, float32, 11);
  const auto unrolled = [&](MLGraphBuilder& b, Build::Operands x) {
    MLOperand h = part(b, x[5], 0), sequence;
    for (std::uint32_t t = n.steps; t-- > 0;) {
      h = b.gruCell(part(b, x[0], t), part(b, x[1], 0), part(b, x[2], 0), h, n.hidden,
                    {.bias = part(b, x[3], 0), .recurrentBias = part(b, x[4], 0)});
      const MLOperand step = b.reshape(h, {1, 1, n.batch, n.hidden});
      sequence = sequence ? b.concat({step, sequence}, 0) : step;
    }
    return std::vector<MLOperand>{b.reshape(h, {1, n.batch, n.hidden}), sequence};
  };
  check_same(
      build_gru(n, {}, true), unrolled, operands(n),
      {.ulp = tolerance_of("gru", float32).ulp + n.steps * tolerance_of("gruCell", float32).ulp});
}
