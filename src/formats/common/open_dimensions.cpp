#include "src/formats/common/open_dimensions.h"

#include <set>
#include <unordered_set>

#include "src/builder/builder_state.h"
#include "src/builder/loop_recorder.h"
#include "src/graph/failure.h"
#include "src/graph/graph_data.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::formats {

std::vector<MLOperand> sources_of(const MLOperand& x) {
  const GraphData& data = *owner_of(x);
  std::vector<MLOperand> inputs;
  std::set<const OperandRecord*> seen;
  std::vector<MLOperand> open{x};
  while (!open.empty() && seen.size() < 10000) {
    const MLOperand y = open.back();
    open.pop_back();
    if (!seen.insert(&y.record()).second) continue;
    if (y.record().kind == OperandKind::input) inputs.push_back(y);
    if (y.record().kind != OperandKind::result) continue;
    const NodeData& node = data.nodes[y.record().producer];
    for (const MLOperand* operand : operands_of(node.op.kind(), node.op.get()))
      open.push_back(*operand);
  }
  return inputs;
}

std::string open_dimensions(const MLOperand& x) {
  constexpr std::size_t most = 4;
  std::vector<std::string> all;
  for (const MLOperand& input : sources_of(x)) {
    const MLDimensions dimensions = *input.dimensions();
    for (std::size_t d = 0; d < dimensions.size() && all.size() < most; ++d)
      if (dimensions[d].is_open())
        all.push_back(
            format("dimension {} ({}) of input {}",
                   {d, in_quotes(dimensions[d].dynamic().name), in_quotes(input.record().name)}));
  }
  return joined(all);
}

namespace {

template <class T> bool is(const NodeData& node) {
  return node.op.kind() == ops::DeclaredOps::index_of<T>();
}

/// The results that follow from the elements and the sizes of inputs with open dimensions, and of
/// which nothing but the shape is read.
std::vector<MLOperand> sources_of_shapes(const GraphData& data, PartialValues& partial,
                                         std::size_t first_node, const NamedOperands& outputs) {
  std::unordered_set<const OperandRecord*> read, follow;
  for (const auto& [name, y] : outputs) read.insert(&y.record());
  for (const NodeData& node : data.nodes)
    for (const MLOperand* x : operands_of(node.op.kind(), node.op.get())) {
      if (!is<ops::shapeOf>(node) && !is<ops::dimension>(node) && !is<ops::rank>(node))
        read.insert(&x->record());
      if (!x->is_open() && !follow.contains(&x->record())) continue;
      for (const MLOperand& y : node.outputs) follow.insert(&y.record());
    }
  std::vector<MLOperand> sources;
  const std::vector<bool> in_loops = parts_of_loops(data);  // which check it in each iteration
  for (std::size_t i = first_node; i < data.nodes.size(); ++i) {
    if (in_loops[i]) continue;
    const std::vector<MLOperand>& results = data.nodes[i].outputs;
    const auto is_read = [&](const MLOperand& y) { return read.contains(&y.record()); };
    if (std::ranges::none_of(results, is_read) && follow.contains(&results[0].record()) &&
        !partial.follows_from_shapes(results[0]))
      sources.push_back(results[0]);
  }
  return sources;
}

}  // namespace

void keep_sources(MLGraphBuilder& b, PartialValues& partial, std::size_t first_node,
                  NamedOperands& outputs) {
  const auto sources = sources_of_shapes(detail::state_of(b)->data, partial, first_node, outputs);
  const auto with_rank = [](const NamedOperand& y) {
    const auto dimensions = y.operand.dimensions();
    return dimensions && !dimensions->empty();
  };
  const auto first = std::ranges::find_if(outputs, with_rank);
  if (sources.empty() || first == outputs.end()) return;
  SizeList shape = sizes_of(first->operand);
  for (const MLOperand& x : sources) {
    const MLOperand rank = b.cast(b.rank(x), int64);
    shape[0] = shape[0] + Size::element(b.sub(rank, rank), 0);
  }
  first->operand = reshape(b, first->operand, shape);
}

}  // namespace webnn::inline v0_1::formats
