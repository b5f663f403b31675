// Replaces x * sigmoid(x), in either order, by the fused operator swish.
#include "src/passes/passes.h"
#include "src/passes/written_out.h"

namespace webnn::inline v0_1 {
namespace {

const MLOperand* swish_of(const Graph& graph, const Node& node,
                          const std::vector<std::size_t>& readers) {
  const auto* mul = as<ops::mul>(node);
  if (!mul || node.output().dataType() != float32) return nullptr;
  for (const MLOperand* y : {&mul->a, &mul->b}) {
    const MLOperand& x = y == &mul->a ? mul->b : mul->a;
    const auto* sigmoid = made_by<ops::sigmoid>(graph, *y);
    // Whoever else reads the sigmoid would have it computed twice.
    if (sigmoid && sigmoid->input.is(x) && readers[y->record().id] == 1) return &x;
  }
  return nullptr;
}

}  // namespace

Graph recognize_swish(const Graph& graph) {
  if (!has_any<ops::sigmoid>(graph)) return graph;
  const auto readers = reader_counts(graph);
  return with_replaced(graph, [&](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
    const MLOperand* x = swish_of(graph, node, readers);
    if (!x) return std::nullopt;
    const bool sigmoid_first = x == &as<ops::mul>(node)->b;
    return to.add(fused::swish{to(*x), {sigmoid_first, std::string(node.label())}},
                  node.output().descriptor());
  });
}

}  // namespace webnn::inline v0_1
