// The values of operands that say shapes.
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1::shape {

/// The elements of a constant of 32- or 64-bit integers; `name` is that of its row. Refuses an
/// operand that is no constant, and numbers that are not between 0 and max_dimension.
Result<Dims> values(const MLOperand& x, std::string_view name);
/// How many numbers there are from start by delta before limit: scalar constants of one data type.
Result<std::uint64_t> range_count(const MLOperand& start, const MLOperand& limit,
                                  const MLOperand& delta);

}  // namespace webnn::inline v0_1::shape
