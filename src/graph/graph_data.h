// What a builder fills and a Graph holds.
#pragma once

#include <deque>
#include <functional>
#include <unordered_set>

#include "src/graph/access.h"
#include "src/graph/op.h"
#include "src/graph/operand_records.h"
#include "src/graph/requantization.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1 {

struct BuilderState;
class DerivedConstants;

struct NodeData {
  Op op;
  std::vector<MLOperand> outputs;
  /// Whether validate() has accepted the operator and has described its results, by the rules of
  /// the specification. Passes keep it for what they copy with equal operands.
  bool valid = false;
};

/// The constants that were made for graphs of the same open graph; see derived_constants.h.
struct Derivation {
  std::shared_ptr<DerivedConstants> constants{};  ///< null for a graph of its own
  bool with_bytes = true;                         ///< else large ones may be released
};

/// Appended to, never changed: operands refer to records and nodes by address and index. The
/// operands held here do not own what they name, or a graph would own itself.
struct GraphData {
  OperandRecords operands;
  std::deque<NodeData> nodes;  // every operator comes after the producers of its operands
  NamedOperands inputs;
  NamedOperands outputs;
  std::vector<MLDynamicDimension> dimensions;  // the open ones of inputs, each name once
  std::vector<std::uint32_t> typical;          // a size for each of them, which all operators take
  bool relies_on_known_sizes = false;          // what made it computed with sizes that seemed known
  Requantization requantization{};             // of all quantized operators
  BuilderState* builder = nullptr;             // null in a built graph
  /// Bytes that constants may still grow by folding; nothing before the first folding.
  std::optional<std::uint64_t> folding_budget;
  Derivation derivation;

  GraphData() = default;
  ~GraphData();  ///< gives the memory of large constants back to the system
  GraphData(const GraphData&) = delete;

  MLOperand add(OperandRecord record);
  std::vector<MLOperand> add(Op op, const std::vector<MLOperandDescriptor>& results);
  /// The same for an operator whose operands are borrowed handles.
  const std::vector<MLOperand>& append(Op op, std::vector<MLOperandDescriptor> results);
};

inline const GraphData& data_of(const Graph& graph) { return *detail::state_of(graph); }
inline Graph graph_of(std::shared_ptr<const GraphData> data) {
  return detail::make<Graph>(std::move(data));
}
/// The builder or graph that an operand, which is not empty, belongs to.
inline GraphData* owner_of(const MLOperand& x) {
  return static_cast<const OwnedRecord&>(x.record()).owner;
}

/// Whether the outputs need an operator that reads one of the operands.
bool reads(const GraphData&, const NamedOperands& outputs,
           const std::unordered_set<const OperandRecord*>& operands);

/// A handle that does not own.
inline MLOperand borrowed(const OperandRecord& record) {
  return detail::make<MLOperand>(
      std::shared_ptr<const OperandRecord>(std::shared_ptr<const void>(), &record));
}

/// A handle that keeps alive what owns the operand's record.
inline MLOperand owned(std::shared_ptr<const void> owner, const MLOperand& x) {
  return detail::make<MLOperand>(
      std::shared_ptr<const OperandRecord>(std::move(owner), &x.record()));
}

/// Copies what the outputs need; ids become dense: inputs, constants by first use, then results.
/// Inputs are all those of a graph; of a builder those that are listed, and behind them those that
/// are needed, by first use. With a `change` every operator passes
/// through it; `to` is the graph under construction. It returns replacements for the operator's
/// results, or nothing to keep the operator. Every pass is such a copy.
using Change = std::function<std::vector<MLOperand>(GraphData& to, const Op& copied,
                                                    const NodeData& original)>;
std::shared_ptr<const GraphData> copy(const GraphData&, const NamedOperands& outputs,
                                      const Change& change = {}, const NamedOperands& listed = {});
/// The same for a graph under construction, without copying: its operands stay where they are and
/// get their places in the finished graph. What the outputs do not need is dropped.
std::shared_ptr<const GraphData> finished(std::shared_ptr<GraphData>, const NamedOperands& outputs);

/// Whether what is valid with the one operand, and makes results from it, is so with the other one.
inline bool are_alike(const MLOperand& a, const MLOperand& b) {
  const OperandRecord &x = a.record(), &y = b.record();
  return x.descriptor == y.descriptor && x.constant.has_value() == y.constant.has_value() &&
         !x.open && !y.open;
}

}  // namespace webnn::inline v0_1
