// A graph with other outputs.
#include <set>

#include "src/graph/failure.h"
#include "src/graph/graph_data.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1 {

Graph with_outputs(const Graph& graph, const NamedOperands& outputs) {
  if (outputs.empty()) raise(fail("there are no outputs"), "with_outputs");
  std::set<std::string_view> names;
  for (const auto& [name, x] : outputs) {
    if (name.empty()) raise(fail("the name of an output is empty"), "with_outputs");
    if (!names.insert(name).second) raise(fail("the name is given twice"), "with_outputs", name);
    if (!x || owner_of(x) != &data_of(graph) || x.record().kind != OperandKind::result)
      raise(fail("the output is not a result of this graph"), "with_outputs", name);
  }
  return graph_of(copy(data_of(graph), outputs));
}

}  // namespace webnn::inline v0_1
