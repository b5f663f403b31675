// Values that follow from shapes and constants alone.
#pragma once

#include <deque>
#include <unordered_map>

#include "src/graph/graph_data.h"

namespace webnn::inline v0_1 {

/// Runs one operator whose operands are constants.
using Evaluate = std::vector<Constant> (*)(const Node&);

/// The values of operands of a graph under construction, worked out when they are asked for.
class KnownValues {
 public:
  KnownValues(const GraphData& graph, Evaluate evaluate) : graph_(graph), evaluate_(evaluate) {}

  /// The operand as a constant, which lives as long as this. `row` is the name that messages have
  /// for it. Refuses one that follows from the values of an input.
  Result<MLOperand> constant(const MLOperand& x, std::string_view row);
  /// Forgets operands that are removed from the graph, from that id on.
  void forget(std::size_t first_id);
  /// The graph is empty again.
  void clear() {
    known_.clear();
    records_.clear();
  }

 private:
  const MLOperand* find(const MLOperand& x) const;
  shape::Check work_out(const NodeData& node);

  const GraphData& graph_;
  Evaluate evaluate_;
  std::deque<OwnedRecord> records_{};
  std::unordered_map<std::uint32_t, MLOperand> known_{};  // by id
};

/// Adds an operator to a graph when all checks pass: one on shapes as what it stands for. Its
/// operands belong to the graph, or are refused.
Result<std::vector<MLOperand>> add_operator(GraphData& to, KnownValues& values, Op op, Rules rules);

}  // namespace webnn::inline v0_1
