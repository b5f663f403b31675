// Custom operators of the tests.
#pragma once

#include "webnn/custom.h"

namespace webnn::inline v0_1::test {

using CustomPointer = std::shared_ptr<const CustomOperator>;

/// The k largest numbers of each row, the first of equal ones first, and their places, int32.
CustomPointer top_k();
/// x * scale + sum of all offsets, with tiles of 16 elements: lower().
CustomPointer scaled_sum();
/// As many elements as a constant says, each of which is its number; without tiles.
CustomPointer counted();

}  // namespace webnn::inline v0_1::test
