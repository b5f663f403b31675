// Names that the format allows, for operands with names that it may not. Private.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "webnn/graph.h"

namespace webnn::inline v0_1::text {

/// A name with "_" for what an identifier cannot have: "x:0" is x_0.
std::string identifier_of(std::string_view name);

/// Identifiers for all operands of a graph, each its own. Names of inputs and outputs come first,
/// then labels of operators, then what constants are for.
class Identifiers {
 public:
  explicit Identifiers(const Graph& graph);

  const std::string& of(const MLOperand& x) const { return names_[x.record().id]; }
  /// For an output whose operand has another name already.
  std::string another(std::string_view name) { return unique(identifier_of(name)); }

 private:
  void set(const MLOperand& x, std::string_view name);
  std::string unique(std::string name);

  std::vector<std::string> names_;  // by operand
  std::unordered_set<std::string> used_{};
  std::unordered_map<std::string, std::size_t> next_{};  // by name: the number for another of it
};

}  // namespace webnn::inline v0_1::text
