// What a builder does under Rules::tests2025, so that its graphs have the same form as under
// Rules::specification. Private.
#pragma once

#include "src/graph/graph_data.h"

namespace webnn::inline v0_1 {

/// Reshapes operands that have fewer dimensions than the specification requires: ones in front.
void add_dimensions(Op& op, GraphData& data);

/// Checks the data type of constant(type, value).
void check_scalar(MLOperandDataType type);

/// Checks what the methods accept and build() does not. Throws TypeError for two inputs of one
/// name, OperationError for an operator that no kernel could run.
void check_deferred(const Graph& graph);

}  // namespace webnn::inline v0_1
