// Which operators have forms of earlier drafts beside those of their declarations.
#pragma once

#include "webnn/draft2023.h"

namespace webnn::inline v0_1::node {

/// May be called without its axis, as Chromium allows: of a matrix, along its rows.
template <class Op> constexpr bool has_optional_axis = std::same_as<Op, ops::softmax>;

// The activations of the 2023 draft.

/// Accepts activations for its gates.
template <class Op> constexpr bool is_recurrent = requires(Op op) { op.options.activations; };
/// Accepts an activation for its result.
template <class Op>
constexpr bool is_activated =
    ops::OpList<ops::batchNormalization, ops::conv2d, ops::convTranspose2d>::contains<Op>();
/// Makes an activation when it is called without an operand.
template <class Op>
constexpr bool is_activation = draft2023::ActivationSections::Operators::contains<Op>() ||
                               ops::OpList<ops::softmax, ops::softplus>::contains<Op>();

}  // namespace webnn::inline v0_1::node
