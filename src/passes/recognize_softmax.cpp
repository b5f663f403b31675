// Replaces a softmax that is written out by the operator:
//   e = exp(x - max(x)), e / sum(e), both over the same dimension
#include "src/passes/passes.h"
#include "src/passes/written_out.h"

namespace webnn::inline v0_1 {
namespace {

struct Softmax {
  MLOperand x;
  std::uint32_t axis;
};

std::optional<Softmax> softmax_of(const Graph& graph, const Node& node,
                                  const std::vector<std::size_t>& readers) {
  const auto* div = as<ops::div>(node);
  const auto* exp = div ? made_by<ops::exp>(graph, div->a) : nullptr;
  const auto* sub = exp ? made_by<ops::sub>(graph, exp->input) : nullptr;
  // Whoever else reads the exponentials would have them computed twice.
  if (!sub || readers[div->a.record().id] != 2 || sub->a.dataType() != float32) return std::nullopt;
  const MLOperand& x = sub->a;
  if (x.shape() != node.output().shape()) return std::nullopt;
  for (std::uint32_t axis = 0; axis < x.rank(); ++axis) {
    const MLOperand* summed = reduced_by<ops::reduceSum>(graph, div->b, axis);
    const MLOperand* largest = reduced_by<ops::reduceMax>(graph, sub->b, axis);
    if (summed && largest && summed->is(div->a) && largest->is(x)) return Softmax{x, axis};
  }
  return std::nullopt;
}

}  // namespace

Graph recognize_softmax(const Graph& graph) {
  if (!has_any<ops::exp>(graph)) return graph;
  const auto readers = reader_counts(graph);
  return with_replaced(graph, [&](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
    const auto found = softmax_of(graph, node, readers);
    if (!found) return std::nullopt;
    return to.add(ops::softmax{to(found->x), found->axis, {.label = std::string(node.label())}},
                  node.output().descriptor());
  });
}

}  // namespace webnn::inline v0_1
