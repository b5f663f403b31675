// expect: deleted
#include "webnn/graph.h"
std::size_t f(const webnn::MLGraph& graph) {
#ifdef FIXED
  const webnn::Node node = graph.graph().node(0);
  return node.outputs().size();
#else
  return graph.graph().node(0).outputs().size();
#endif
}
