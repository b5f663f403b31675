// A compiled graph with a box for each step.
#include <algorithm>
#include <set>

#include "tools/webnn/page/parts.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

/// "conv2d + add + clamp"; of a long chain its beginning. What makes floats of the operands of an
/// integer kernel is not there, unless it is all.
std::string title_of(const StepReport& step) {
  constexpr std::size_t most = 34;
  std::vector<std::string_view> names;
  for (const Node& node : step.operators)
    if (!node.as<ops::dequantizeLinear>()) names.push_back(node.name());
  if (names.empty()) return "dequantizeLinear";
  std::string s(names.front());
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (s.size() + names[i].size() + 3 > most)
      return s + " + " + std::to_string(names.size() - i) + " more";
    s.append(" + ").append(names[i]);
  }
  return s;
}

/// Names of the operands of a step's operators. Those of dequantizeLinear have the name of what its
/// result is for: "conv2d filter", "conv2d filter scale".
class OperandNames {
 public:
  explicit OperandNames(const StepReport& step) : alone_(step.operators.size() == 1) {
    for (const Node& node : step.operators)
      for (const auto& [name, x] : node.named_inputs())
        uses_.emplace(x.record().id, std::string(node.name()) + ' ' + name);
  }
  std::string of(const Node& node, const std::string& name) const {
    if (alone_) return name;
    const auto use = uses_.find(node.output().record().id);
    if (!node.as<ops::dequantizeLinear>() || use == uses_.end())
      return std::string(node.name()) + ' ' + name;
    return name == "input" ? use->second : use->second + ' ' + name;
  }

 private:
  bool alone_;
  std::map<std::uint32_t, std::string> uses_;  // the first of each operand
};

class StepsView {
 public:
  StepsView(const Graph& graph, std::string title, const Sources& from)
      : graph_(graph),
        view_(std::move(title)),
        from_(from),
        box_of_(graph.operand_count(), View::none),
        leaves_(graph.operand_count()) {}

  Json run(const GraphReport& report, std::span<const double> us) {
    for (const NamedOperand& x : graph_.inputs()) {
      box_of_[x.operand.record().id] = view_.size();
      view_.add_port("input", x, from_.tensors.inputs);
    }
    find_results(report);
    for (std::size_t i = 0; i < report.steps.size(); ++i) add(report, i, us);
    for (const NamedOperand& y : graph_.outputs()) {
      for (const MLOperand& x : sources_of(y.operand))
        if (!x.constant()) view_.join(box_of_[x.record().id], y.operand.descriptor());
      view_.add_port("output", y, from_.tensors.outputs);
    }
    Json json = view_.json();
    json["steps"] = report.steps.size();
    json["operators"] = graph_.size();
    return json;
  }

 private:
  /// Which results are read outside of their step.
  void find_results(const GraphReport& report) {
    std::vector<std::size_t> step_of(graph_.operand_count(), View::none);
    for (std::size_t i = 0; i < report.steps.size(); ++i)
      for (const Node& node : report.steps[i].operators)
        for (const MLOperand& y : node.outputs()) {
          step_of[y.record().id] = i;
          box_of_[y.record().id] = view_.size() + i;
        }
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const Node node = graph_.node(i);
      for (const MLOperand& x : node.inputs())
        if (step_of[x.record().id] != step_of[node.output().record().id])
          leaves_[x.record().id] = true;
    }
    for (const auto& [name, y] : graph_.outputs()) leaves_[y.record().id] = true;
  }

  /// The inputs, constants and results of steps that an operand is, or is a view of: through
  /// operators that no step runs, like reshape, and dequantizeLinear before an integer kernel.
  std::vector<MLOperand> sources_of(const MLOperand& x) const {
    std::vector<MLOperand> found, open{x};
    std::set<std::uint32_t> seen;
    while (!open.empty()) {
      const MLOperand at = open.back();
      open.pop_back();
      if (!seen.insert(at.record().id).second) continue;
      if (at.constant() || box_of_[at.record().id] != View::none) {
        found.push_back(at);
        continue;
      }
      const std::vector<MLOperand> inputs = graph_.producer_of(at).inputs();
      const bool only_constants =
          std::all_of(inputs.begin(), inputs.end(), [](const auto& y) { return y.constant(); });
      for (const MLOperand& y : inputs)
        if (!y.constant() || (only_constants && y.is(inputs.front()))) open.push_back(y);
    }
    return found;
  }

  void add(const GraphReport& report, std::size_t i, std::span<const double> us) {
    const StepReport& step = report.steps[i];
    Json operators = Json::array(), operands = Json::array(), results = Json::array();
    std::vector<MLOperand> left;
    std::string label;
    const OperandNames names(step);
    for (const Node& node : step.operators) {
      operators.push_back(operator_json(node));
      if (label.empty()) label = escaped(node.label());
      for (const auto& [name, x] : node.named_inputs()) {
        const std::vector<MLOperand> sources = sources_of(x);
        const MLOperand first = sources.empty() ? MLOperand() : sources.front();
        const bool is_constant = first && first.constant();
        if (first && !is_constant && box_of_[first.record().id] == view_.size()) continue;
        operands.push_back(operand_json(names.of(node, name), x, is_constant ? first : MLOperand(),
                                        from_.constants));
        for (const MLOperand& y : sources)
          if (!y.constant()) view_.join(box_of_[y.record().id], x.descriptor());
      }
      for (const MLOperand& y : node.outputs())
        if (leaves_[y.record().id]) {
          left.push_back(y);
          results.push_back(result_json(y, from_));
        }
    }
    Json& box =
        view_.add("step", title_of(step), step.backend + ' ' + step.kernel, shape_text(left),
                  label.empty() ? "step " + std::to_string(i + 1) : label);
    box["label"] = label;
    box["operators"] = std::move(operators);
    box["operands"] = std::move(operands);
    box["results"] = std::move(results);
    add_step(box, report, i, us);
  }

  const Graph& graph_;
  View view_;
  const Sources& from_;
  std::vector<std::size_t> box_of_;  // by operand
  std::vector<bool> leaves_;
};

}  // namespace

Json view_of_steps(const MLGraph& graph, const GraphReport& report, std::span<const double> us,
                   std::string title, const Sources& from) {
  return StepsView(graph.optimized(), std::move(title), from).run(report, us);
}

}  // namespace webnn::inline v0_1::tool
