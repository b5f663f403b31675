#include "src/passes/written_out.h"

#include <cmath>

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t max_factors = 3;  // none of the products that are recognized has more

void collect(const Graph& graph, const MLOperand& y, const std::vector<std::size_t>& readers,
             bool first, Factors& to) {
  if (to.others.size() > max_factors) return;
  if (const auto number = number_of(y)) {
    to.number *= *number;
    return;
  }
  if (first || readers[y.record().id] == 1) {
    if (const auto* mul = made_by<ops::mul>(graph, y)) {
      collect(graph, mul->a, readers, false, to);
      return collect(graph, mul->b, readers, false, to);
    }
    const auto* div = made_by<ops::div>(graph, y);
    if (const auto by = div ? number_of(div->b) : std::nullopt) {
      to.number /= *by;
      return collect(graph, div->a, readers, false, to);
    }
  }
  to.others.push_back(y);
}

}  // namespace

bool is_about(double a, double b) { return std::abs(a - b) <= 0x1p-21 * std::abs(b); }

Factors factors_of(const Graph& graph, const MLOperand& y,
                   const std::vector<std::size_t>& readers) {
  Factors f;
  collect(graph, y, readers, true, f);
  return f;
}

std::optional<Affine> affine_of(const Graph& graph, const MLOperand& y,
                                const std::vector<std::size_t>& readers) {
  double term = 0;
  MLOperand product = y;
  if (const auto* add = made_by<ops::add>(graph, y)) {
    const auto a = number_of(add->a), b = number_of(add->b);
    if (!a == !b) return std::nullopt;
    term = a ? *a : *b;
    product = a ? add->b : add->a;
    if (readers[product.record().id] != 1) return Affine{product, 1, term};
  }
  const Factors f = factors_of(graph, product, readers);
  if (f.others.size() != 1) return std::nullopt;
  return Affine{f.others.front(), f.number, term};
}

}  // namespace webnn::inline v0_1
