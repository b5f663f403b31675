// The inputs and outputs of a model that is imported. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::formats {

/// A new input of the builder, or the operand of that name among `given`, which must be of the same
/// builder, data type and shape (a TypeError). A dimension that has a name may be any of its own.
[[gnu::visibility("hidden")]] Result<MLOperand> input_of(MLGraphBuilder& builder,
                                                         const std::string& name,
                                                         const MLInputOperandDescriptor& descriptor,
                                                         const NamedOperands& given);

/// The operand of that name, or null.
[[gnu::visibility("hidden")]] const MLOperand* find_operand(const NamedOperands& all,
                                                            std::string_view name);

/// The operand of that name; a DataError of the format when there is none. `kind` is "input" or
/// "output".
[[gnu::visibility("hidden")]] const MLOperand& operand_named(const NamedOperands& all,
                                                             std::string_view name,
                                                             std::string_view kind,
                                                             std::string_view format);

/// An input that a caller names and the model does not have: the failure lists those that it has,
/// `"x" (float32 [1, 3])`. Types may be empty.
struct InputText {
  std::string name{}, type{};
};
[[gnu::visibility("hidden")]] Failure no_input(std::string_view name,
                                               const std::vector<InputText>& inputs);
[[gnu::visibility("hidden")]] Failure no_input(std::string_view name, const NamedOperands& inputs);

/// `[1, "sequence"]`, or "of any rank".
[[gnu::visibility("hidden")]] std::string shape_text(const std::optional<MLDimensions>& shape);

/// An operand as an output of a graph: what is not a result becomes one.
[[gnu::visibility("hidden")]] MLOperand output_of(MLGraphBuilder& builder, const std::string& name,
                                                  const MLOperand& x);

}  // namespace webnn::inline v0_1::formats
