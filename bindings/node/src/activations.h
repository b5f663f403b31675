// Which operators have to do with the activations of the 2023 draft.
#pragma once

#include "webnn/draft2023.h"

namespace webnn::node {

/// Takes activations for its gates.
template <class Op> constexpr bool is_recurrent = requires(Op op) { op.options.activations; };
/// Takes one for its result.
template <class Op>
constexpr bool is_activated =
    ops::OpList<ops::batchNormalization, ops::conv2d, ops::convTranspose2d>::contains<Op>();
/// Is one when it has no operand.
template <class Op>
constexpr bool is_activation = draft2023::ActivationSections::Operators::contains<Op>() ||
                               ops::OpList<ops::softmax, ops::softplus>::contains<Op>();

}  // namespace webnn::node
