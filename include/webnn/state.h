// State that a dispatch updates in place: an extension, off unless a builder asks for it.
#pragma once

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

/// Declares that state_out is state_in after a run, for example a cache of keys and values with a
/// new row. A dispatch of the graph may then be given one tensor for both. Where the operator that
/// makes state_out, such as scatterElements or scatterND, can write over its operand, and nothing
/// reads state_in after it, a run costs what the changed elements cost; else the state is copied,
/// with the same result. Two tensors work as without the declaration.
///
/// Throws TypeError if state_in is not an input of this builder, state_out is not a result of it,
/// their data types or shapes differ, or one of them is declared already; InvalidStateError after
/// build(). build() throws TypeError if state_out is not one of the outputs.
void update(MLGraphBuilder& builder, const MLOperand& state_in, const MLOperand& state_out);

}  // namespace webnn::inline v0_1
