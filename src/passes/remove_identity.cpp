// Removes `identity`, `cast` to the same data type and `pad` of nothing, unless an output of the
// graph would become an input or a constant.
#include "src/graph/graph_data.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {

Graph remove_identity(const Graph& graph) {
  if (!has_any<ops::identity, ops::cast, ops::pad>(graph)) return graph;
  const auto change = [](GraphData&, const Op& copied, const NodeData& node) {
    const auto* identity = copied.as<ops::identity>();
    const auto* cast = copied.as<ops::cast>();
    const auto* pad = copied.as<ops::pad>();
    MLOperand x;
    if (pad && pad->input.descriptor() == node.outputs[0].descriptor()) x = pad->input;
    if (identity) x = identity->input;
    else if (cast && cast->dataType == cast->input.dataType()) x = cast->input;
    const bool removed = x && x.record().kind == OperandKind::result;
    return removed ? std::vector{x} : std::vector<MLOperand>();
  };
  return graph_of(copy(data_of(graph), graph.outputs(), change));
}

}  // namespace webnn::inline v0_1
