// gru and gruCell by their definition.
#pragma once

#include "tests/ops/recurrent.h"

namespace webnn::inline v0_1::test {

struct GruRules {
  bool reset_after = true;
  MLGruWeightLayout layout = MLGruWeightLayout::zrn;
  std::vector<Activation> activations{Activation::sigmoid, Activation::tanh};
};

inline std::vector<Tensor> expected_gru(const Network& n, const GruRules& rules) {
  const std::uint32_t H = n.hidden;
  const bool zrn = rules.layout == MLGruWeightLayout::zrn;
  const std::uint32_t z_row = zrn ? 0 : H, r_row = zrn ? H : 0, n_row = 2 * H;
  return n.run([&](std::uint32_t d, std::uint32_t t, std::uint32_t row, std::vector<double>& h,
                   std::vector<double>&) {
    const auto gate = [&](std::uint32_t first, std::uint32_t i) {
      return activate(rules.activations[0],
                      n.from_input(d, first + i, t, row) + n.from_state(d, first + i, h));
    };
    std::vector<double> next(H), reset(H);
    for (std::uint32_t i = 0; i < H; ++i) reset[i] = gate(r_row, i) * h[i];
    for (std::uint32_t i = 0; i < H; ++i) {
      const double state = rules.reset_after ? gate(r_row, i) * n.from_state(d, n_row + i, h)
                                             : n.from_state(d, n_row + i, reset);
      const double fresh =
          activate(rules.activations[1], n.from_input(d, n_row + i, t, row) + state);
      const double z = gate(z_row, i);
      next[i] = z * h[i] + (1 - z) * fresh;
    }
    h = next;
  });
}

}  // namespace webnn::inline v0_1::test
