// Replaces a layer normalization that is written out, over the last dimension, by the operator:
//   d = x - mean(x), d / sqrt(mean(d * d) + epsilon) [* scale] [+ bias]
#include "src/passes/passes.h"
#include "src/passes/written_out.h"

namespace webnn::inline v0_1 {
namespace {

/// x of mean(x) over the last dimension, which remains.
const MLOperand* mean_of(const Graph& graph, const MLOperand& y) {
  if (y.rank() == 0) return nullptr;
  return reduced_by<ops::reduceMean>(graph, y, static_cast<std::uint32_t>(y.rank() - 1));
}
/// d of d * d or pow(d, 2).
const MLOperand* square_of(const Graph& graph, const MLOperand& y) {
  if (const auto* mul = made_by<ops::mul>(graph, y)) return mul->a.is(mul->b) ? &mul->a : nullptr;
  const auto* pow = made_by<ops::pow>(graph, y);
  return pow && number_of(pow->b) == 2 ? &pow->a : nullptr;
}

/// A constant operand of a sum or product, and the other one.
struct Split {
  const MLOperand *x, *constant;
};
template <class T> std::optional<Split> split(const Graph& graph, const MLOperand& y) {
  const auto* op = made_by<T>(graph, y);
  if (!op || is_constant(op->a) == is_constant(op->b)) return std::nullopt;
  return is_constant(op->a) ? Split{&op->b, &op->a} : Split{&op->a, &op->b};
}

struct Normalization {
  const MLOperand* input;
  double epsilon;
  const MLOperand *scale = nullptr, *bias = nullptr;
};

/// Without scale and bias.
std::optional<Normalization> quotient_of(const Graph& graph, const MLOperand& y) {
  const auto* div = made_by<ops::div>(graph, y);
  const auto* root = div ? made_by<ops::sqrt>(graph, div->b) : nullptr;
  const auto sum = root ? split<ops::add>(graph, root->input) : std::nullopt;
  const auto epsilon = sum ? number_of(*sum->constant) : std::nullopt;
  if (!epsilon || !(*epsilon >= 0 && *epsilon < 1e30)) return std::nullopt;
  const MLOperand* variance = mean_of(graph, *sum->x);
  const MLOperand* deviation = variance ? square_of(graph, *variance) : nullptr;
  if (!deviation || !deviation->is(div->a) || deviation->dataType() != float32) return std::nullopt;
  const auto* sub = made_by<ops::sub>(graph, *deviation);
  const MLOperand* x = sub ? mean_of(graph, sub->b) : nullptr;
  if (!x || !x->is(sub->a) || x->shape() != y.shape()) return std::nullopt;
  return Normalization{x, *epsilon};
}

/// Whether a constant has one element for each of the last dimension of x and no other, so that
/// products and sums with it have the shape of x.
bool is_row(const MLOperand& constant, const MLOperand& x) {
  return constant.rank() > 0 && constant.rank() <= x.rank() &&
         constant.shape().back() == x.shape().back() &&
         element_count(constant.shape()) == x.shape().back();
}

/// The normalization that ends in y, with as much of scale and bias as there is.
std::optional<Normalization> normalization_of(const Graph& graph, const MLOperand& y,
                                              const std::vector<std::size_t>& readers) {
  const auto row = [&](const std::optional<Split>& s) {
    return s && is_row(*s->constant, *s->x) && readers[s->x->record().id] == 1;
  };
  const MLOperand* at = &y;
  const auto sum = split<ops::add>(graph, y);
  if (row(sum)) at = sum->x;
  const auto product = split<ops::mul>(graph, *at);
  if (row(product)) at = product->x;
  auto found = quotient_of(graph, *at);
  if (!found) return found;
  if (row(sum)) found->bias = sum->constant;
  if (row(product)) found->scale = product->constant;
  return found;
}

}  // namespace

Graph recognize_layer_normalization(const Graph& graph) {
  if (!has_any<ops::reduceMean>(graph)) return graph;
  const auto readers = reader_counts(graph);
  return with_replaced(graph, [&](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
    const MLOperand& y = node.output();
    const auto found = normalization_of(graph, y, readers);
    if (!found) return std::nullopt;
    const auto last = static_cast<std::uint32_t>(y.rank() - 1);
    const auto row = [&](const MLOperand* from) -> std::optional<MLOperand> {
      if (!from) return std::nullopt;
      return to.constant({float32, {y.shape().back()}}, *from->constant());
    };
    ops::layerNormalization op{to(*found->input),
                               {.scale = row(found->scale),
                                .bias = row(found->bias),
                                .axes = Dims{last},
                                .epsilon = found->epsilon,
                                .label = std::string(node.label())}};
    return to.add(std::move(op), y.descriptor());
  });
}

}  // namespace webnn::inline v0_1
