#include "tools/webnn/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/webnn/data/tolerance.h"
#include "tools/webnn/data/values.h"
#include "tools/webnn/model/steps.h"
#include "tools/webnn/page/layout.h"
#include "webnn/error.h"

namespace webnn::tool {
namespace {

constexpr std::size_t bins = 32;
constexpr double character_width = 7.2, padding = 20;

Json statistics(const MLOperand& x) {
  const Statistics s = statistics_of(x.descriptor(), x.constant()->bytes(), bins);
  return {{"min", s.min},     {"max", s.max},
          {"mean", s.mean},   {"std", s.deviation},
          {"zeros", s.zeros}, {"not_finite", s.not_finite},
          {"count", s.count}, {"histogram", s.histogram}};
}

/// For each operator the constant that is its only non-trivial operand, as dequantizeLinear does of
/// weights: then it gets no box, and the reader of the result shows the constant.
std::vector<MLOperand> weights_of(const Graph& graph) {
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

/// One graph as boxes and lines, and what is known of each.
class View {
 public:
  View(const Graph& graph, std::string title)
      : view_{{"title", std::move(title)}},
        weights_(weights_of(graph)),
        box_of_(graph.operand_count(), none) {
    view_["operators"] = graph.size();
    for (const auto& [name, x] : graph.inputs()) {
      box_of_[x.record().id] = boxes_.size();
      add("input", escaped(name), type_text(x.descriptor()));
    }
    for (std::size_t i = 0; i < graph.size(); ++i)
      if (!weights_[i]) add_operator(graph.node(i));
    for (const auto& [name, x] : graph.outputs()) {
      if (x.record().kind != OperandKind::constant) join(x);
      add("output", escaped(name), type_text(x.descriptor()));
    }
  }

  /// Times and kernels, for the graph that the plan was made from.
  void add_steps(const GraphReport& report, std::span<const double> us) {
    double total = 0;
    for (double t : us) total += t;
    view_["total_us"] = total;
    for (std::size_t i = 0; i < report.steps.size(); ++i) {
      const StepReport& step = report.steps[i];
      for (const Node& node : step.operators) {
        const std::size_t at = box_of_[node.output().record().id];
        if (at == none) continue;
        Json& box = nodes_[at];
        box["step"] = i + 1;
        box["kernel"] = step.backend + ' ' + step.kernel;
        box["fused"] = operators_text(step);
        box["others"] = step.others;
        if (i < us.size()) {
          box["us"] = us[i];
          box["share"] = total > 0 ? us[i] / total : 0;
        }
      }
    }
  }

  Json json() {
    Drawing p = layout(std::move(boxes_), std::move(lines_));
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Box& b = p.boxes[i];
      nodes_[i].update(Json{{"x", round(b.x)}, {"y", round(b.y)}, {"w", b.width}, {"h", b.height}});
    }
    view_["nodes"] = std::move(nodes_);
    view_["edges"] = Json::array();
    for (std::size_t i = 0; i < p.lines.size(); ++i) {
      Json points = Json::array();
      for (const Point& at : p.lines[i].points) points.push_back({round(at.x), round(at.y)});
      view_["edges"].push_back({{"from", p.lines[i].from},
                                {"to", p.lines[i].to},
                                {"type", line_types_[i]},
                                {"points", std::move(points)}});
    }
    view_["width"] = round(p.width);
    view_["height"] = round(p.height);
    return std::move(view_);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  static double round(double v) { return std::round(v * 10) / 10; }

  Json& add(const char* kind, const std::string& title, const std::string& subtitle) {
    const std::string head = shortened(title), sub = shortened(subtitle);
    const double width =
        static_cast<double>(std::max(head.size(), sub.size())) * character_width + padding;
    boxes_.push_back({std::max(90.0, width), sub.empty() ? 30.0 : 44.0});
    nodes_.push_back(Json{{"kind", kind}, {"title", head}, {"sub", sub}, {"name", title}});
    return nodes_.back();
  }
  void join(const MLOperand& x) {
    lines_.push_back({box_of_[x.record().id], boxes_.size()});
    line_types_.push_back(type_text(x.descriptor()));
  }

  void add_operator(const Node& node) {
    Json operands = Json::array(), results = Json::array(), attributes = Json::array();
    for (const auto& [name, x] : node.named_inputs()) {
      Json operand{{"name", name}, {"type", type_text(x.descriptor())}};
      const OperandRecord& r = x.record();
      const MLOperand weights = x.constant()                    ? x
                                : r.kind == OperandKind::result ? weights_[r.producer]
                                                                : MLOperand();
      if (weights) operand["constant"] = constant(weights);
      else join(x);
      if (weights && !x.constant())
        operand["type"] = type_text(x.descriptor()) + " of " + type_text(weights.descriptor());
      operands.push_back(std::move(operand));
    }
    for (const MLOperand& y : node.outputs()) {
      box_of_[y.record().id] = boxes_.size();
      results.push_back(type_text(y.descriptor()));
    }
    for (const auto& [name, value] : node.attributes())
      attributes.push_back({name, escaped(value)});
    Json& box = add("operator", std::string(node.name()), escaped(node.label()));
    box["operator"] = node.name();
    box["label"] = escaped(node.label());
    box["operands"] = std::move(operands);
    box["results"] = std::move(results);
    box["attributes"] = std::move(attributes);
    box["macs"] = cost_of(node).macs;
  }

  /// The place of a constant in the list of the view.
  std::size_t constant(const MLOperand& x) {
    const auto [at, is_new] = constants_.emplace(x.record().id, constants_.size());
    if (is_new) view_["constants"].push_back(statistics(x));
    return at->second;
  }

  Json view_, nodes_ = Json::array();
  std::vector<MLOperand> weights_;
  std::vector<Box> boxes_;
  std::vector<Line> lines_;
  std::vector<std::string> line_types_;
  std::vector<std::size_t> box_of_;
  std::map<std::size_t, std::size_t> constants_;
};

}  // namespace

std::string html_page(const Model& m, std::span<const double> us) {
  View built(m.graph(), "as built"), runs(m.compiled.optimized(), "as it runs");
  runs.add_steps(m.compiled.report(), us);
  Json data{{"model", escaped(m.path)},
            {"description", escaped(m.description)},
            {"threads", m.context.threads()},
            {"views", {runs.json(), built.json()}}};
  std::string json = text_of(data, -1), page = page_template;
  // Nothing in the data ends the element that holds it.
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos;)
    json.replace(at, 1, "\\u003c");
  const std::string_view place = "@DATA@";
  return page.replace(page.find(place), place.size(), json);
}

}  // namespace webnn::tool
