// Replaces activations that are written out by their operators, however the constants are placed:
//   gelu       x * 0.5 * (1 + erf(x / sqrt(2)))
//   hardSwish  x * clamp(x + 3, 0, 6) / 6, x * hardSigmoid(x) with alpha = 1 / 6 and beta = 0.5
#include <numbers>

#include "src/passes/passes.h"
#include "src/passes/written_out.h"

namespace webnn::inline v0_1 {
namespace {

struct Search {
  const Graph& graph;
  const std::vector<std::size_t>& readers;

  std::optional<Affine> affine(const MLOperand& y) const { return affine_of(graph, y, readers); }

  /// Whether y * number is 0.5 * (1 + erf(x / sqrt(2))).
  bool is_gelu_factor(const MLOperand& y, double number, const MLOperand& x) const {
    const auto sum = affine(y);
    const auto* erf = sum ? made_by<ops::erf>(graph, sum->x) : nullptr;
    if (!erf || !is_about(number * sum->factor, 0.5) || !is_about(number * sum->term, 0.5))
      return false;
    const auto argument = affine(erf->input);
    return argument && argument->x.is(x) && argument->term == 0 &&
           is_about(argument->factor, 1 / std::numbers::sqrt2);
  }
  /// Whether y * number is clamp(x / 6 + 0.5, 0, 1).
  bool is_hard_swish_factor(const MLOperand& y, double number, const MLOperand& x) const {
    if (const auto* op = made_by<ops::hardSigmoid>(graph, y))
      return op->input.is(x) && number == 1 && is_about(op->options.alpha, 1.0 / 6) &&
             is_about(op->options.beta, 0.5);
    const auto* clamp = made_by<ops::clamp>(graph, y);
    if (!clamp || !clamp->options.minValue || !clamp->options.maxValue) return false;
    const auto sum = affine(clamp->input);
    return sum && sum->x.is(x) && clamp->options.minValue->as_double() == 0 &&
           is_about(number * clamp->options.maxValue->as_double(), 1) &&
           is_about(number * sum->factor, 1.0 / 6) && is_about(number * sum->term, 0.5);
  }
};

/// What y is, if it is one of the two: adds its operator to the new graph.
std::optional<MLOperand> recognized(const Search& search, const Node& node, Rewriter& to) {
  if (!as<ops::mul>(node) && !as<ops::div>(node)) return std::nullopt;
  const MLOperand& y = node.output();
  if (y.dataType() != float32) return std::nullopt;
  const Factors f = factors_of(search.graph, y, search.readers);
  if (f.others.size() != 2) return std::nullopt;
  for (const std::size_t i : {0u, 1u}) {
    const MLOperand &x = f.others[i], &other = f.others[1 - i];
    if (x.shape() != y.shape() || search.readers[other.record().id] != 1) continue;
    const std::string label(node.label());
    if (search.is_gelu_factor(other, f.number, x))
      return to.add(ops::gelu{to(x), {.label = label}}, y.descriptor());
    if (search.is_hard_swish_factor(other, f.number, x))
      return to.add(ops::hardSwish{to(x), {.label = label}}, y.descriptor());
  }
  return std::nullopt;
}

}  // namespace

Graph recognize_activations(const Graph& graph) {
  if (!has_any<ops::erf, ops::clamp, ops::hardSigmoid>(graph)) return graph;
  const auto readers = reader_counts(graph);
  return with_replaced(graph, [&](const Node& node, Rewriter& to) {
    return recognized({graph, readers}, node, to);
  });
}

}  // namespace webnn::inline v0_1
