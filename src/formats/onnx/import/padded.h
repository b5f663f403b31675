// Results whose number of rows follows from data. WebNN's sizes do not: such a result has all rows
// that there can be, and what reads it leaves the rows where they are or is refused. Private.
#pragma once

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

/// Whether all inputs of the node are known, or follow from inputs whose values are given.
bool inputs_can_be_known(const Call&);
/// Sets result i: y, of which the first `count` places along the axis count. When the inputs of the
/// node are known it has these alone.
void put_counted(Call&, const MLOperand& y, std::uint32_t axis, const MLOperand& count,
                 std::size_t i = 0);
/// NonZero of an input that is data.
void non_zero_of_data(Call&);

/// After a node is imported: where the rows behind the count are in its results. What a Gather
/// reads for them is 0. Raises when a result would depend on them.
void follow_padding(const Call&);
/// Raises when an input has such rows.
void refuse_padded(const Call&);

}  // namespace webnn::inline v0_1::onnx
