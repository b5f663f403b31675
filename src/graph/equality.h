// Private: what common-subexpression elimination asks.
#pragma once

#include "src/graph/op.h"

namespace webnn::inline v0_1 {

bool equal(const Op&, const Op&);
std::size_t hash_of(const Op&);

}  // namespace webnn::inline v0_1
