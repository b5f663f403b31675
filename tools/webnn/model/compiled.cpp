#include "tools/webnn/model/compiled.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/graph/text.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"

namespace webnn::inline v0_1::tool {

bool is_compiled(const ModelOptions& o) { return readable(o.path, o.from).load != nullptr; }

std::string backends_of(const ModelOptions& o) {
  for (const Part& p : readable(o.path, o.from).contents(o.path))
    if (p.where == "backend order") return p.what;
  return "";
}

MLGraph load_verified(const ModelOptions& o, const MLContext& context) {
  return readable(o.path, o.from).load(context, source_of(o.path), true).graph;
}

std::vector<std::string> packed_operators(const Graph& graph) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    const auto inputs = node.inputs();
    if (std::any_of(inputs.begin(), inputs.end(),
                    [](const MLOperand& x) { return x.constant() && x.constant()->released(); }))
      all.push_back(name_and_label(node));
  }
  return all;
}

void require_constants(const Model& m, std::string_view hint) {
  const std::vector<std::string> packed = packed_operators(m.graph());
  if (packed.empty()) return;
  const std::string more =
      packed.size() > 1 ? fmt::format(" and {} more operators", packed.size() - 1) : "";
  throw CommandError(
      fmt::format("{}: the weights of {}{} are stored only in the packed form of their kernels; {}",
                  shown(m.path), packed.front(), more, hint));
}

Model load_all(const ModelOptions& o) {
  std::error_code none;
  if (is_compiled(o) && std::filesystem::exists(o.path, none)) {
    Model m = load(o, context_of(backends_of(o), 1, true));
    require_constants(m, "convert the model that it was compiled from");
    return m;
  }
  // Building a graph chooses kernels; the reference kernels do not pack weights.
  return load_open(o, MLContext({.threads = 1, .backends = {"reference"}, .keepConstants = true}));
}

}  // namespace webnn::inline v0_1::tool
