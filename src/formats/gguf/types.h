// The element types of the format. Private.
#pragma once

#include "webnn/gguf.h"

namespace webnn::inline v0_1::gguf {

struct TypeRow {
  TensorType type;
  std::string_view name;
  BlockLayout layout;
  std::optional<MLOperandDataType> operand = std::nullopt;  // WebNN's type of the same elements
};

/// Null for a number that is not one of the format, or of a type that it no longer has.
const TypeRow* row_of(TensorType type);

}  // namespace webnn::inline v0_1::gguf
