#include "src/formats/text/identifiers.h"

#include "src/formats/common/constant_names.h"
#include "src/formats/text/lexer.h"

namespace webnn::inline v0_1::text {

std::string identifier_of(std::string_view name) {
  std::string s;
  for (char c : name) s += continues_identifier(c) ? c : '_';
  // Other readers take the first letters of such names for the values.
  bool reserved = s.empty() || !begins_identifier(s[0]);
  for (std::string_view word : {"true", "false", "null"})
    reserved = reserved || s.compare(0, word.size(), word) == 0;
  return reserved ? '_' + s : s;
}

Identifiers::Identifiers(const Graph& graph) : names_(graph.operand_count()) {
  for (const auto& [name, x] : graph.inputs()) set(x, name);
  for (const auto& [name, x] : graph.outputs()) set(x, name);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    std::string name(node.label());
    if (name.empty()) name = std::string(node.name()) + '_' + std::to_string(i);
    const bool list = node.outputs().size() > 1;
    for (const MLOperand& y : node.outputs())
      set(y, list ? name + '_' + std::to_string(y.record().output) : name);
  }
  const auto name_of = [this](const Node& node) { return of(node.output()); };
  for (const auto& [name, x] : formats::constants_of(graph, name_of)) set(x, name);
}

void Identifiers::set(const MLOperand& x, std::string_view name) {
  std::string& known = names_[x.record().id];
  if (known.empty()) known = unique(identifier_of(name));
}

std::string Identifiers::unique(std::string name) {
  if (used_.insert(name).second) return name;
  std::size_t& next = next_[name];
  for (next = std::max<std::size_t>(next, 2);; ++next) {
    std::string other = name + '_' + std::to_string(next);
    if (used_.insert(other).second) return other;
  }
}

}  // namespace webnn::inline v0_1::text
