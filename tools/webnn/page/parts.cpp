#include "tools/webnn/page/parts.h"

#include <fmt/format.h>

#include <numeric>

#include "tools/webnn/model/steps.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {

Json operator_json(const Node& node) {
  Json attributes = Json::array();
  for (const auto& [name, value] : node.attributes()) attributes.push_back({name, escaped(value)});
  return {{"name", node.name()},
          {"label", escaped(node.label())},
          {"attributes", std::move(attributes)},
          {"macs", cost_of(node).macs}};
}

Json operand_json(const std::string& name, const MLOperand& x, const MLOperand& weights,
                  Constants& constants) {
  Json operand{{"name", name}, {"type", type_text(x.descriptor())}};
  if (!weights) return operand;
  if (!weights.is(x))
    operand["type"] = type_text(x.descriptor()) + " of " + type_text(weights.descriptor());
  if (const auto at = constants.add(weights)) operand["constant"] = *at;
  return operand;
}

Json result_json(const MLOperand& y, const Sources& from) {
  Json result{{"type", type_text(y.descriptor())}};
  if (const auto at = from.results.find(y.record().id); at != from.results.end())
    result["tensor"] = at->second;
  return result;
}

std::string shape_text(std::span<const MLOperand> results) {
  if (results.empty()) return "";
  const std::string first = type_text(results.front().descriptor());
  return results.size() == 1 ? first : fmt::format("{} and {} more", first, results.size() - 1);
}

void add_step(Json& box, const GraphReport& report, std::size_t i, std::span<const double> us) {
  const StepReport& step = report.steps[i];
  box["step"] = i + 1;
  box["kernel"] = step.backend + ' ' + step.kernel;
  box["fused"] = operators_text(step);
  box["tiles"] = step.tiles;
  box["packed"] = step.packed;
  box["others"] = step.others;
  if (i >= us.size()) return;
  const double total = std::accumulate(us.begin(), us.end(), 0.0);
  box["us"] = us[i];
  box["share"] = total > 0 ? us[i] / total : 0;
}

}  // namespace webnn::inline v0_1::tool
