#include "src/graph/fused/composed_chain.h"

#include "src/graph/fused/expand.h"

namespace webnn::inline v0_1 {

ComposedChain composed(Chain chain) {
  const auto data = std::make_shared<GraphData>();
  const Node& front = chain.front();
  // Not owned: the operator is only read.
  compose(*data, Op(front.kind(), {std::shared_ptr<void>(), const_cast<void*>(front.op())}));
  data->nodes.back().outputs = {borrowed(front.output().record())};
  ComposedChain all{data, {}};
  for (const NodeData& node : data->nodes)
    all.nodes.emplace_back(node.op.kind(), node.op.get(), node.outputs);
  all.nodes.insert(all.nodes.end(), chain.begin() + 1, chain.end());
  return all;
}

}  // namespace webnn::inline v0_1
