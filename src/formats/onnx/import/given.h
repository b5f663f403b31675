// What ImportOptions give in place of what a file has. Private.
#pragma once

#include "src/formats/onnx/import/importer.h"

namespace webnn::inline v0_1::onnx {

/// `input "x"`, for messages.
std::string subject_of(const ValueInfo&);
/// The type of an input in WebNN, if there is one.
std::optional<MLOperandDataType> input_type(const Import&, const ValueInfo&);
/// Value::narrow of an input.
ElementType narrow_type(const ValueInfo&);

/// Whether a node of the graph writes the value.
bool is_result(const Import&, std::string_view name);
/// Begins to keep track of what follows from open sizes, when x is the first operand that has one.
void note_open(Import&, const MLOperand& x);

/// The values that ImportOptions::constants or values has for an input.
Value given_value(Import&, const ValueInfo&, const ImportOptions::Value& given);
/// The operand that takes the place of an input.
MLOperand given_operand(const Import&, const ValueInfo&, const MLOperand& x);
/// Operands that take the place of what nodes compute.
void set_given_results(Import&, Scope&);

}  // namespace webnn::inline v0_1::onnx
