// Orders of dimensions, as transpose has them: result dimension i is operand dimension order[i].
#pragma once

#include "webnn/data_type.h"

namespace webnn::inline v0_1 {

/// 0, 1, 2 ...
inline Dims identity_order(std::size_t rank) {
  Dims order(rank);
  for (std::uint32_t i = 0; i < rank; ++i) order[i] = i;
  return order;
}
/// An empty order changes nothing, like 0, 1, 2 ...
inline bool is_identity(const Dims& order) {
  for (std::uint32_t i = 0; i < order.size(); ++i)
    if (order[i] != i) return false;
  return true;
}
inline Dims permuted(const Dims& shape, const Dims& order) {
  if (order.empty()) return shape;
  Dims out;
  for (std::uint32_t d : order) out.push_back(shape[d]);
  return out;
}
/// transpose(transpose(x, first), then) is transpose(x, composed(first, then)).
inline Dims composed(const Dims& first, const Dims& then) {
  return then.empty() ? first : first.empty() ? then : permuted(first, then);
}
inline Dims inverse(const Dims& order) {
  Dims back(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  return back;
}
/// Whether the elements stay where they are: dimensions of size 1 may go anywhere, the others
/// keep their order.
inline bool keeps_order(const Dims& shape, const Dims& order) {
  std::int64_t last = -1;
  for (std::uint32_t d : order) {
    if (shape[d] == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

}  // namespace webnn::inline v0_1
