// Kernels that only move elements: what counts is their width.
#pragma once

#include <cstring>
#include <type_traits>

#include "src/kernels/reference/kernels.h"

namespace webnn::reference {

using Run = decltype(Kernel::run);

/// f(std::integral_constant<std::size_t, bytes of an element>).
template <class F> auto dispatch_width(MLOperandDataType type, F&& f) {
  switch (bits_of(type)) {
    case 64: return f(std::integral_constant<std::size_t, 8>());
    case 32: return f(std::integral_constant<std::size_t, 4>());
    case 16: return f(std::integral_constant<std::size_t, 2>());
    default: return f(std::integral_constant<std::size_t, 1>());
  }
}

/// Element `i` of `to` becomes element `j` of `from`.
template <std::size_t Width>
void move_element(std::byte* to, std::size_t i, const std::byte* from, std::size_t j) {
  std::memcpy(to + i * Width, from + j * Width, Width);
}
/// Nothing when a kernel works in place.
inline void move_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (to != from) std::memcpy(to, from, bytes);
}

}  // namespace webnn::reference
