// What other programs write that the specification has not, or no longer. Private.
#pragma once

#include "src/formats/common/operator_rows.h"
#include "src/formats/text/scope.h"

namespace webnn::inline v0_1::text {

/// `autoPad` of convolutions and pooling: "same-upper" and "same-lower" are as many results as the
/// input has strides (with convTranspose2d, strides times the input); "explicit" is the padding
/// that is given. Whether the operator had this option.
bool has_auto_pad(std::string_view op);
/// Sets the padding of an operator whose operands and other options are known. What is wrong with
/// these is left to the operator.
std::optional<Failure> set_auto_pad(std::string_view op, void* made, const formats::Value& mode);

/// Replaces one -1 among the dimensions of reshape's newShape by what remains.
std::optional<Failure> fix_new_shape(const void* reshape, formats::Value& dimensions);

/// Replaces numbers from -rank to -1 by what they are counted from the beginning.
void fix_axes(formats::Value& axes, std::uint32_t rank);

/// squeeze(x, axes=[0]) and unsqueeze(x, axes=[0]) as reshape; nothing for other operators.
std::optional<Statement> as_reshape(const Scope& scope, const Statement& statement);

}  // namespace webnn::inline v0_1::text
