#include "tools/webnn/model/steps.h"

namespace webnn::inline v0_1::tool {

std::string operators_text(const StepReport& step) {
  std::string s;
  for (const Node& node : step.operators) s += (s.empty() ? "" : "+") + std::string(node.name());
  return s;
}

std::string label_of(const StepReport& step) {
  for (const Node& node : step.operators)
    if (!node.label().empty()) return std::string(node.label());
  return "";
}

Json json_of(const StepReport& step, std::optional<double> us) {
  const Cost cost = cost_of(step.operators);
  Json j{{"operators", Json::array()}, {"label", label_of(step)},
         {"backend", step.backend},    {"kernel", step.kernel},
         {"tiles", step.tiles},        {"packed", step.packed},
         {"macs", cost.macs},          {"bytes", cost.read + cost.written},
         {"others", step.others}};
  for (const Node& node : step.operators) j["operators"].push_back(node.name());
  if (us) j["microseconds"] = *us;
  return j;
}

}  // namespace webnn::inline v0_1::tool
