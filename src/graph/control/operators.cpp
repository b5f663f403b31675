#include "src/graph/control/operators.h"

#include "src/graph/failure.h"
#include "src/graph/graph_data.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::control {

std::uint32_t LoopBody::sequences() const {
  return static_cast<std::uint32_t>(graph_->outputs.size()) - states_ - has_condition_;
}

std::string LoopBody::text() const {
  std::vector<std::string> names;
  if (graph_)
    for (const NodeData& node : graph_->nodes) names.emplace_back(name_of_kind(node.op.kind()));
  return '[' + joined(names) + ']';
}

bool operator==(const LoopBody& a, const LoopBody& b) {
  if (!a || !b) return !a && !b;
  return a.states() == b.states() && a.has_condition() == b.has_condition() &&
         (&a.graph() == &b.graph() ||
          graph_of(std::shared_ptr<const GraphData>(std::shared_ptr<void>(), &a.graph())) ==
              graph_of(std::shared_ptr<const GraphData>(std::shared_ptr<void>(), &b.graph())));
}

Result<ops::Shapes> infer(const loop&) { return fail("its shapes follow from sizes"); }

shape::Check check_numbers(const loop& op, std::size_t results) {
  if (!op.body) return fail("it has no body");
  const std::size_t inputs = op.body.graph().inputs.size() + 1;
  if (op.inputs.size() != inputs)
    return fail("it has {} inputs, but its body asks for {}", op.inputs.size(), inputs);
  const std::size_t made = op.body.states() + op.body.sequences();
  if (results != made) return fail("it has {} results, but its body makes {}", results, made);
  return {};
}

Result<ops::Shapes> infer(const placeholder& op) {
  if (!op.axes.empty()) return fail("its shape follows from the iteration");
  return ops::Shapes(op.input.shape());
}

}  // namespace webnn::inline v0_1::control
