// Shapes, and constants whose elements are moved before they are written. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include "src/passes/permutation.h"
#include "webnn/operand.h"

namespace webnn::inline v0_1::formats {

[[gnu::visibility("hidden")]] Dims permuted(const Dims& shape, const Dims& permutation);
/// All dimensions, or those given.
inline Dims axes_or_all(const OptionalList<std::uint32_t>& axes, std::size_t rank) {
  return axes ? Dims(*axes) : identity_order(rank);
}
/// The shape to which both broadcast.
[[gnu::visibility("hidden")]] Dims broadcast_shape(const Dims& a, const Dims& b);
/// Elements of `element` bytes in another order of dimensions.
[[gnu::visibility("hidden")]] Constant transposed(const Constant& bytes, const Dims& shape,
                                                  std::size_t element, const Dims& permutation);

}  // namespace webnn::inline v0_1::formats
