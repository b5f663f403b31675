// lstm and lstmCell by their definition.
#pragma once

#include "tests/ops/recurrent.h"

namespace webnn::inline v0_1::test {

struct LstmRules {
  MLLstmWeightLayout layout = MLLstmWeightLayout::iofg;
  std::vector<Activation> activations{Activation::sigmoid, Activation::tanh, Activation::tanh};
};

inline std::vector<Tensor> expected_lstm(const Network& n, const LstmRules& rules) {
  const std::uint32_t H = n.hidden;
  const bool iofg = rules.layout == MLLstmWeightLayout::iofg;
  const std::uint32_t i_row = 0, o_row = iofg ? H : 3 * H, f_row = iofg ? 2 * H : H,
                      g_row = iofg ? 3 * H : 2 * H;
  return n.run([&](std::uint32_t d, std::uint32_t t, std::uint32_t row, std::vector<double>& h,
                   std::vector<double>& c) {
    const auto sum = [&](std::uint32_t first, std::uint32_t k) {
      return n.from_input(d, first + k, t, row) + n.from_state(d, first + k, h);
    };
    // Peephole weights: input, output, forget in every layout, on the cell state before the step.
    const auto peep = [&](std::uint32_t block, std::uint32_t k) {
      return n.peephole ? (*n.peephole)[(std::size_t{d} * 3 + block) * H + k] * c[k] : 0;
    };
    std::vector<double> hidden(H), cell(H);
    for (std::uint32_t k = 0; k < H; ++k) {
      const double i = activate(rules.activations[0], sum(i_row, k) + peep(0, k));
      const double o = activate(rules.activations[0], sum(o_row, k) + peep(1, k));
      const double f = activate(rules.activations[0], sum(f_row, k) + peep(2, k));
      const double g = activate(rules.activations[1], sum(g_row, k));
      cell[k] = f * c[k] + i * g;
      hidden[k] = o * activate(rules.activations[2], cell[k]);
    }
    h = hidden;
    c = cell;
  });
}

}  // namespace webnn::inline v0_1::test
