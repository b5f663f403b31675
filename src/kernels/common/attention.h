// Attention, for which WebNN has no operator, written out in those it has.
#pragma once

#include <optional>

#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// y = softmax(factor * queries * keys + mask) * values, the softmax over the last dimension; rows
/// that are left out are 0.
struct Attention {
  MLOperand queries{};  ///< [..., rows, inner]
  MLOperand keys{};     ///< [..., inner, terms]
  MLOperand mask{};     ///< broadcast to the scores; null: none
  MLOperand values{};   ///< [..., terms, columns]
  Dims scores{};        ///< [batches..., rows, terms]
  Dims masked{};  ///< the same elements as they lie when the mask is added: [..., rows, terms]
  MLOperand left_out{};  ///< bytes, not 0 for these rows; broadcast to [..., rows, 1]; null: none
  std::optional<double> multiplied_by{}, divided_by{};  ///< at most one
};

/// What a chain computes, if it is, in this order: matmul; mul or div by a number, if any; add of a
/// mask, if any; softmax over the last dimension; matmul with its result as the first operand; and
/// where(left out, 0, the product), if any. Of float32; the batches of the result are those of the
/// scores. The matmul may be between two reshapes to other rows of as many terms (several heads
/// with the same keys); then a mask is the same for all heads and batches.
std::optional<Attention> attention_of(Chain);

}  // namespace webnn::inline v0_1
