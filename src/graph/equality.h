// Private: what common-subexpression elimination asks.
#pragma once

#include "src/graph/op.h"

namespace webnn {

bool equal(const Op&, const Op&);
std::size_t hash_of(const Op&);

}  // namespace webnn
