// Kernels that only move elements, and may do so in place.
#pragma once

#include "src/kernels/reference/copy.h"

namespace webnn::reference {

using Run = decltype(Kernel::run);

/// Nothing when both are the same memory.
template <class T> void move_elements(T* to, const T* from, std::size_t count) {
  if (to != from) std::memcpy(to, from, count * sizeof(T));
}

}  // namespace webnn::reference
