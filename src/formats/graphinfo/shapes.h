// The shapes of operands in files: sizes, and names where dimensions are open. Private.
#pragma once

#include "src/formats/common/value.h"
#include "webnn/operand.h"

namespace webnn::inline v0_1::graphinfo {

/// The data type and the dimensions of an operand.
struct OperandType {
  MLOperandDataType dataType = MLOperandDataType::float32;
  MLDimensions shape{};  ///< empty where even the rank is open
  bool ranked = true;

  bool is_open() const { return !ranked || shape.are_open(); }
  Dims sizes() const { return shape.sizes(); }  ///< with 0 for open dimensions
};
OperandType type_of(const MLOperand& x);
/// "float32 [1, sequence]"
std::string text_of(const OperandType& type);
/// Whether an operand may be of the type that a file says: only sizes that both know are compared.
bool agrees(const OperandType& found, const OperandType& said);

/// A list of sizes and, for open dimensions, of their names with their bounds:
/// {"name": "sequence", "max_size": 512}. It is null where even the rank is open.
formats::Value shape_value(const OperandType& type);
/// The shape of a type. An open dimension may be its name alone.
formats::Bad read_shape(const formats::Value& value, OperandType& type);

}  // namespace webnn::inline v0_1::graphinfo
