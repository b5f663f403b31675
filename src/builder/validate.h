// Everything that is checked before an operator enters a graph. Private.
#pragma once

#include "webnn/graph.h"
#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

/// An operand together with the row that declares it; `index` counts within a list, else -1.
struct BoundOperand {
  std::string_view row;
  const ops::Limits* limits;
  int index;
  MLOperand operand;

  std::string name() const;
};

/// Each operand is present and belongs to the builder.
shape::Check check_owner(std::span<const BoundOperand>, const GraphData* owner);
/// Each operand has a data type and a rank that its row allows.
shape::Check check_limits(std::span<const BoundOperand>, Rules);
/// Whether it is an enumerator: a caller can convert any number to the type.
constexpr bool is_data_type(MLOperandDataType type) {
  return static_cast<std::size_t>(type) < enum_names<MLOperandDataType>.size();
}
Failure not_a_data_type(std::string_view name, MLOperandDataType type);
/// The data type is one, and rank, dimensions, number of elements and byte length are within the
/// limits of this library.
shape::Check check_dimensions(std::string_view name, MLOperandDataType, const ops::Sizes&);

/// All checks for an operator of that kind, except that its builder is open, and the descriptors of
/// its results.
/// Results without elements are refused, unless they are asked for.
Result<std::vector<MLOperandDescriptor>> validate(std::size_t kind, const void* op,
                                                  const GraphData* owner, Rules rules,
                                                  bool empty_results = false);
/// Why a graph, which a pass may have made, is none that a builder makes; nothing if it is one.
shape::Check check_graph(const Graph& graph);
/// Why the second graph cannot stand for the first one, from which a pass has made it: it is none
/// that a builder makes, or has other inputs or outputs.
shape::Check check_replacement(const Graph& before, const Graph& after);

}  // namespace webnn::inline v0_1
