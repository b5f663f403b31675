// A graph with a box for each operator.
#include "tools/webnn/page/parts.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

/// For each operator the constant that is its only non-trivial operand, as dequantizeLinear does of
/// weights: then it gets no box, and the reader of the result shows the constant.
std::vector<MLOperand> only_constants(const Graph& graph) {
  std::vector<MLOperand> made(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    MLOperand first;
    bool all = true;
    for (const MLOperand& x : graph.node(i).inputs()) {
      const OperandRecord& r = x.record();
      const MLOperand from = x.constant()                    ? x
                             : r.kind == OperandKind::result ? made[r.producer]
                                                             : MLOperand();
      all = all && static_cast<bool>(from);
      if (!first) first = from;
    }
    if (all) made[i] = first;
  }
  for (const auto& [name, x] : graph.outputs())
    if (x.record().kind == OperandKind::result) made[x.record().producer] = MLOperand();
  return made;
}

class OperatorsView {
 public:
  OperatorsView(const Graph& graph, std::string title, const Sources& from)
      : view_(std::move(title)),
        from_(from),
        weights_(only_constants(graph)),
        box_of_(graph.operand_count(), View::none),
        step_of_(graph.operand_count(), View::none) {}

  void set_steps(const GraphReport& report, std::span<const double> us) {
    report_ = &report;
    us_ = us;
    for (std::size_t i = 0; i < report.steps.size(); ++i)
      for (const Node& node : report.steps[i].operators) step_of_[node.output().record().id] = i;
  }

  Json run(const Graph& graph) {
    for (const NamedOperand& x : graph.inputs()) {
      box_of_[x.operand.record().id] = view_.size();
      view_.add_port("input", x, from_.tensors.inputs);
    }
    for (std::size_t i = 0; i < graph.size(); ++i)
      if (!weights_[i]) add(graph.node(i), webnn::tool::name_of(graph, i));
    for (const NamedOperand& y : graph.outputs()) {
      if (!y.operand.constant()) join(y.operand);
      view_.add_port("output", y, from_.tensors.outputs);
    }
    Json json = view_.json();
    json["operators"] = graph.size();
    return json;
  }

 private:
  void join(const MLOperand& x) { view_.join(box_of_[x.record().id], x.descriptor()); }

  void add(const Node& node, const std::string& name) {
    Json operands = Json::array(), results = Json::array();
    for (const auto& [name, x] : node.named_inputs()) {
      const OperandRecord& r = x.record();
      const MLOperand weights = x.constant()                    ? x
                                : r.kind == OperandKind::result ? weights_[r.producer]
                                                                : MLOperand();
      if (!weights) join(x);
      operands.push_back(operand_json(name, x, weights, from_.constants));
    }
    for (const MLOperand& y : node.outputs()) {
      box_of_[y.record().id] = view_.size();
      results.push_back(result_json(y, from_));
    }
    Json& box = view_.add("operator", std::string(node.name()), name, shape_text(node.outputs()));
    box["operators"] = Json::array({operator_json(node)});
    box["operands"] = std::move(operands);
    box["results"] = std::move(results);
    const std::size_t step = step_of_[node.output().record().id];
    if (step != View::none) add_step(box, *report_, step, us_);
  }

  View view_;
  const Sources& from_;
  const GraphReport* report_ = nullptr;
  std::span<const double> us_;
  std::vector<MLOperand> weights_;
  std::vector<std::size_t> box_of_, step_of_;  // by operand
};

}  // namespace

Json view_of_operators(const Graph& graph, std::string title, const Sources& from) {
  return OperatorsView(graph, std::move(title), from).run(graph);
}
Json view_of_operators(const Graph& graph, std::string title, const Sources& from,
                       const GraphReport& report, std::span<const double> us) {
  OperatorsView view(graph, std::move(title), from);
  view.set_steps(report, us);
  return view.run(graph);
}

}  // namespace webnn::inline v0_1::tool
