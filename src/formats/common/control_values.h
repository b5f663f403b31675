// Operators that hold subgraphs, in graphs and in files. Private; a shared library of a format has
// its own copy and does not show it.
#pragma once

#include "src/builder/subgraph_recorder.h"
#include "src/formats/common/value.h"
#include "src/operators/control.h"

namespace webnn::inline v0_1::formats {

/// Adds an operator of this form to a builder. A failure where its subgraphs lie too deep in each
/// other.
[[gnu::visibility("hidden")]] Result<std::vector<MLOperand>> add_control(
    MLGraphBuilder& b, operators::ControlForm form, std::vector<MLOperand> inputs,
    std::string label);

/// Whether files mean an operator that holds subgraphs by the name.
[[gnu::visibility("hidden")]] bool is_control(std::string_view name);
/// The operator with these attributes, whose subgraphs are checked as a builder checks operators.
/// Custom operators in them are those of the context.
[[gnu::visibility("hidden")]] Result<std::shared_ptr<const CustomOperator>> control_definition(
    std::string_view name, std::uint32_t version, const CustomAttributes& attributes,
    const MLContext& context);

/// Adds the If or the Loop that a recorder has the subgraphs of: one with two of them, or one.
[[gnu::visibility("hidden")]] Result<std::vector<MLOperand>> add_recorded(
    MLGraphBuilder& b, const SubgraphRecorder& recorder, std::vector<MLOperand> first,
    bool has_condition, std::string label);

}  // namespace webnn::inline v0_1::formats
