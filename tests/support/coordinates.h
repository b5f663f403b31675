// Tensors by coordinates: how tests say what an operator means, independent of any kernel's loops.
#pragma once

#include <cstddef>

#include "webnn/data_type.h"

namespace webnn::inline v0_1::test {

/// f(coordinates) for each element of a tensor, in row-major order.
template <class F> void for_each_place(const Dims& shape, F&& f) {
  Dims at(shape.size());
  for (;;) {
    f(static_cast<const Dims&>(at));
    std::size_t d = shape.size();
    while (d > 0 && ++at[d - 1] == shape[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

/// Which element is at these coordinates.
inline std::size_t place_in(const Dims& shape, const Dims& at) {
  std::size_t place = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) place = place * shape[d] + at[d];
  return place;
}

/// Which element of a tensor that broadcasts to a larger one is at those coordinates of it.
inline std::size_t broadcast_place_in(const Dims& shape, const Dims& at) {
  Dims own(at.end() - static_cast<std::ptrdiff_t>(shape.size()), at.end());
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] == 1) own[d] = 0;
  return place_in(shape, own);
}

}  // namespace webnn::inline v0_1::test
