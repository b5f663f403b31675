#include "src/kernels/common/loop.h"

namespace webnn::inline v0_1 {

std::array<std::ptrdiff_t, max_rank> strides_of(const Dims& shape) {
  std::array<std::ptrdiff_t, max_rank> strides{};
  std::ptrdiff_t next = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = next;
    next *= static_cast<std::ptrdiff_t>(shape[d]);
  }
  return strides;
}

std::array<std::ptrdiff_t, max_rank> broadcast_strides(const Dims& from, const Dims& to) {
  const auto own = strides_of(from);
  std::array<std::ptrdiff_t, max_rank> strides{};
  const std::size_t missing = to.size() - from.size();
  for (std::size_t d = 0; d < from.size(); ++d) strides[missing + d] = from[d] == 1 ? 0 : own[d];
  return strides;
}

}  // namespace webnn::inline v0_1
