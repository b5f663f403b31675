// The forms of earlier drafts beside those of the declarations.
#pragma once

#include "webnn/draft2023.h"

namespace webnn::inline v0_1::node {

/// Whether programs that were written for earlier drafts run in the context. One with the rules of
/// the specification refuses them, as browsers do.
inline bool has_older_forms(const MLContext& context) {
  return context.rules() != Rules::specification;
}
/// Throws TypeError unless the context has a method of the 2023 draft.
inline void require_older_forms(const MLContext& context, std::string_view method) {
  if (!has_older_forms(context))
    throw TypeError(method, "",
                    "the 2023 draft has this method; a context with the rules \"specification\" "
                    "does not");
}

/// May be called without its axis, as in the 2023 draft: of a matrix, along its rows. Chromium took
/// such calls for a time, and 147 does not.
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
