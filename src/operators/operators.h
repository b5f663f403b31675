// Operators that WebNN does not have, which importers use: custom operators that every context
// knows. Files name them as they name those of a caller. Private.
#pragma once

#include <span>

#include "webnn/custom.h"

namespace webnn::inline v0_1::operators {

using Definition = std::shared_ptr<const CustomOperator>;

/// What their names begin with; no operator of a caller may have such a name.
inline constexpr std::string_view domain = "webnn.";

/// All of them, by name.
std::span<const Definition> all();
/// With that version or, for 0, the highest one; null if there is none.
Definition find(std::string_view name, std::uint32_t version = 0);
/// Whether the library has made it: one of all(), or one of control.h.
bool is_of_library(const Definition& definition);

/// webnn.TopK: the `k` largest numbers along `axis` (from the end when negative: -1), or the
/// smallest ones, and their places, of `indexType` (int64, int32), in their order. Of equal ones
/// the first comes first; NaN is larger than all numbers.
const Definition& top_k();
/// webnn.Bitwise: `operation` and, or, xor of two operands with integers, which are broadcast, or
/// not, of one.
const Definition& bitwise();
/// webnn.GridSample: an image of [batch, channels, height, width] at the places of a grid of
/// [batch, height, width, 2], whose numbers, x before y, are from -1 to 1 within it, or one of
/// [batch, channels, depth, height, width] at those of [batch, depth, height, width, 3], x before y
/// before z. `mode` is linear, nearest, and in two dimensions cubic; `padding` is zeros, border,
/// reflection; with `alignCorners` -1 and 1 are the centers of the outermost elements.
const Definition& grid_sample();
/// webnn.ScatterElements: as scatterElements, where updates of one place are put together by
/// `reduction` add, mul, min, max with what is there, in the order of the indices.
const Definition& scatter_elements();
/// webnn.ScatterND: as scatterND, likewise.
const Definition& scatter_nd();
/// webnn.Narrow: numbers as a type has them that WebNN does not have, in the type of the operand.
/// float32 is rounded to `type` bfloat16, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz,
/// float4e2m1 and float8e8m0 (with `roundMode` up, down, nearest), with `saturate` to the largest
/// number where it is beyond. int32 keeps the low bits of int16, uint16, int4, uint4, int2, uint2.
const Definition& narrow();

}  // namespace webnn::inline v0_1::operators
