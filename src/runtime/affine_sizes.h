// Which sizes of an open graph are affine functions of its dimensions.
#pragma once

#include <vector>

#include "webnn/graph.h"

namespace webnn::inline v0_1 {

/// Whether all sizes that follow from the dimensions that change are affine functions of these: of
/// each operator that reads such a size, or a list that says it, this is known. By the place of a
/// dimension in GraphData::dimensions.
bool has_affine_sizes(const Graph& open, const std::vector<bool>& changes);

}  // namespace webnn::inline v0_1
