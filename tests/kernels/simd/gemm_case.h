// A gemm with what may follow it, against a sum in double precision.
#pragma once

#include "tests/kernels/simd/activations.h"

namespace webnn::inline v0_1::test {

struct GemmCase {
  std::uint32_t rows = 1, k = 64, columns = 128;
  bool a_transpose = false, b_transpose = false, constant = true;
  double alpha = 1, beta = 1;
  std::optional<Dims> c{};
  bool constant_c = true, residual = false;
  std::size_t activation = 0;  // which one of activations()
};

inline std::ostream& operator<<(std::ostream& s, const GemmCase& g) {
  s << g.rows << 'x' << g.k << 'x' << g.columns << (g.a_transpose ? " a'" : "")
    << (g.b_transpose ? " b'" : "") << (g.constant ? " constant" : "") << " alpha " << g.alpha
    << " beta " << g.beta;
  if (g.c) s << (g.constant_c ? " constant" : "") << " c of rank " << g.c->size();
  return s << (g.residual ? ", residual, " : ", ") << activations()[g.activation].name;
}

/// What each element may be off by when it is multiplied.
using Inexact = std::function<std::vector<double>(const std::vector<float>&)>;

/// With the second operand b, whose elements b_value gives.
inline void check_gemm(ChainUnderTest& t, const GemmCase& g, const MLOperand& b,
                       const std::function<double(std::size_t)>& b_value,
                       const Inexact& a_inexact = {}) {
  const ActivationCase& activation = activations()[g.activation];
  const MLOperand a = t.input(g.a_transpose ? Dims{g.k, g.rows} : Dims{g.rows, g.k});
  MLGemmOptions o{
      .alpha = g.alpha, .beta = g.beta, .aTranspose = g.a_transpose, .bTranspose = g.b_transpose};
  if (g.c) o.c = g.constant_c ? t.constant(*g.c) : t.input(*g.c);
  MLOperand y = t.b.gemm(a, b, o), added;
  if (g.residual) {
    added = t.input(y.shape());
    y = t.b.add(y, added);
  }
  const auto actual = t.run(activation.append(t.b, y));
  const std::vector<double> inexact = a_inexact ? a_inexact(t.values(a)) : std::vector<double>();
  for (std::uint32_t r = 0; r < g.rows; ++r)
    for (std::uint32_t n = 0; n < g.columns; ++n) {
      Sum sum;
      for (std::uint32_t k = 0; k < g.k; ++k) {
        const std::size_t i = g.a_transpose ? k * g.rows + r : r * g.k + k;
        const double w = b_value(g.b_transpose ? n * g.k + k : k * g.columns + n);
        sum.add(g.alpha * t.values(a)[i], w);
        if (!inexact.empty()) sum.inexact += std::abs(g.alpha * w) * inexact[i];
      }
      if (g.c) {
        const std::uint32_t wide = g.c->empty() ? 1 : g.c->back(),
                            high = g.c->size() < 2 ? 1 : g.c->front();
        sum.add(g.beta, t.values(*o.c)[(high == 1 ? 0 : r) * wide + (wide == 1 ? 0 : n)]);
      }
      const std::size_t at = std::size_t{r} * g.columns + n;
      if (g.residual) sum.add(t.values(added)[at]);
      check_near(actual[at], sum, activation.value, activation.slope);
    }
}

}  // namespace webnn::inline v0_1::test
