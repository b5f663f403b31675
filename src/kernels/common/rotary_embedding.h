// A rotary position embedding, for which WebNN has no operator, written out in those it has.
#pragma once

#include <optional>
#include <vector>

#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// y = x * cos + r * sin, where r is the second half of each row of x, negated, and then the first.
/// Rows are along the last dimension, of even size; cos and sin are broadcast to the shape of x,
/// but not in the last dimension.
struct RotaryEmbedding {
  MLOperand x{}, cos{}, sin{};
};

/// The operators of the embedding that ends in an addition, in the order of the graph: two slices,
/// neg, concat, two mul, add, all of float32. Empty if there is none.
std::vector<Node> rotary_embedding_before(const Graph&, const Node& sum);
/// What a chain of these operators computes.
std::optional<RotaryEmbedding> rotary_embedding_of(Chain);

}  // namespace webnn::inline v0_1
