// Replaces a normalization by the root of the mean square over the last dimension by the fused
// operator rmsNormalization:
//   scale * x / sqrt(mean(x^2) + epsilon)
// where x^2 is a product or a power, and the quotient is one, or a product with a reciprocal, with
// 1 / root or with a power of -0.5. Squares that overflow float32 do not overflow in a kernel of
// it.
#include <cmath>

#include "src/passes/passes.h"
#include "src/passes/written_out.h"

namespace webnn::inline v0_1 {
namespace {

using fused::RootQuotient;
using fused::Square;

struct Search {
  const Graph& graph;
  const std::vector<std::size_t>& readers;

  /// The operator T that makes y, which nothing but one operator reads.
  template <class T> const T* inner(const MLOperand& y) const {
    return readers[y.record().id] == 1 ? made_by<T>(graph, y) : nullptr;
  }

  /// y as sqrt(sum) that only one operator reads; the sum.
  const MLOperand* root_of(const MLOperand& y) const {
    const auto* op = inner<ops::sqrt>(y);
    return op ? &op->input : nullptr;
  }

  /// y = mean(x^2) + epsilon.
  bool add_sum(const MLOperand& y, const MLOperand& x, fused::RmsNormalizationOptions& to) const {
    const auto* sum = inner<ops::add>(y);
    if (!sum) return false;
    const auto left = number_of(sum->a), right = number_of(sum->b);
    if (!left == !right) return false;
    const MLOperand& mean = left ? sum->b : sum->a;
    to.epsilon = left ? *left : *right;
    if (!std::isfinite(to.epsilon) || mean.shape() != y.shape()) return false;
    const auto* reduced = inner<ops::reduceMean>(mean);
    const MLOperand* square =
        reduced && x.rank() > 0 ? reduced_by<ops::reduceMean>(graph, mean, x.rank() - 1) : nullptr;
    if (!square || square->shape() != x.shape()) return false;
    if (const auto* mul = inner<ops::mul>(*square)) {
      to.square = Square::product;
      return mul->a.is(x) && mul->b.is(x);
    }
    const auto* pow = inner<ops::pow>(*square);
    to.square = Square::power;
    return pow && pow->a.is(x) && number_of(pow->b) == 2;
  }

  /// y as a factor of x whose square is the reciprocal of the sum; the sum.
  const MLOperand* factor_of(const MLOperand& y, RootQuotient& form) const {
    if (const auto* pow = inner<ops::pow>(y)) {
      form = RootQuotient::power;
      return number_of(pow->b) == -0.5 ? &pow->a : nullptr;
    }
    if (const auto* reciprocal = inner<ops::reciprocal>(y)) {
      form = RootQuotient::reciprocal;
      return root_of(reciprocal->input);
    }
    const auto* div = inner<ops::div>(y);
    if (!div || number_of(div->a) != 1 || y.shape() != div->b.shape()) return nullptr;
    form = RootQuotient::quotient_of_one;
    return root_of(div->b);
  }

  /// The normalization without scale that ends in y.
  std::optional<fused::rmsNormalization> quotient(const MLOperand& y) const {
    fused::rmsNormalization n{};
    const auto found = [&](const MLOperand& x, const MLOperand* sum) {
      n.input = x;
      return sum && x.shape() == y.shape() && add_sum(*sum, x, n.options);
    };
    if (const auto* div = made_by<ops::div>(graph, y)) {
      n.options.form = RootQuotient::quotient;
      if (found(div->a, root_of(div->b))) return n;
    } else if (const auto* mul = made_by<ops::mul>(graph, y)) {
      if (found(mul->a, factor_of(mul->b, n.options.form))) return n;
      n.options.factorFirst = true;
      if (found(mul->b, factor_of(mul->a, n.options.form))) return n;
    }
    return std::nullopt;
  }

  /// The normalization that ends in y, with a scale if there is one.
  std::optional<fused::rmsNormalization> normalization(const MLOperand& y) const {
    if (y.dataType() != float32) return std::nullopt;
    if (auto n = quotient(y)) return n;
    const auto* mul = made_by<ops::mul>(graph, y);
    if (!mul) return std::nullopt;
    for (const bool first : {true, false}) {
      const MLOperand &x = first ? mul->a : mul->b, &scale = first ? mul->b : mul->a;
      if (x.shape() != y.shape() || readers[x.record().id] != 1) continue;
      auto n = quotient(x);
      if (!n || !fused::is_row_of(scale, x) || scale.is(n->input)) continue;
      n->options.scale = scale;
      n->options.scaleFirst = !first;
      return n;
    }
    return std::nullopt;
  }
};

}  // namespace

Graph recognize_rms_normalization(const Graph& graph) {
  if (!has_any<ops::reduceMean>(graph)) return graph;
  const auto readers = reader_counts(graph);
  return with_replaced(graph, [&](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
    auto n = Search{graph, readers}.normalization(node.output());
    if (!n) return std::nullopt;
    n->input = to(n->input);
    if (n->options.scale) n->options.scale = to(*n->options.scale);
    n->options.label = std::string(node.label());
    return to.add(std::move(*n), node.output().descriptor());
  });
}

}  // namespace webnn::inline v0_1
