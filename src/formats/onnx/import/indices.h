// What the operators that gather and scatter ask of their operands. Private.
#pragma once

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

/// WebNN wants the sizes of the dimensions other than the axis to be those of indices, ONNX not
/// less than these: the sizes of the part of x with them.
SizeList window_of(const MLOperand& x, const MLOperand& indices, std::uint32_t axis);
MLOperand part_of(const Call&, const MLOperand& x, const SizeList& window);
/// The sizes of the dimensions of x, from one on, in which the columns of indices are places.
SizeList columns_of(const Call&, const MLOperand& x, const MLOperand& indices, std::uint32_t first);

}  // namespace webnn::inline v0_1::onnx
