// Elements by their index, whatever their size: two of 4 bits share a byte, the first its low half.
#pragma once

#include <limits>

#include "src/kernels/reference/array.h"

namespace webnn::reference {

template <class T> struct Elements {
  using Value = T;
  static constexpr T lowest = std::numeric_limits<T>::lowest(),
                     highest = std::numeric_limits<T>::max();

  static Value get(const std::byte* bytes, std::size_t i) {
    return reinterpret_cast<const T*>(bytes)[i];
  }
  /// The elements from i on = an array expression.
  template <class E> static void set(const E& e, std::byte* bytes, std::size_t i) {
    store(e, reinterpret_cast<T*>(bytes) + i);
  }
};

template <class T, T Lowest, T Highest> struct Nibbles {
  using Value = T;
  static constexpr T lowest = Lowest, highest = Highest;

  static Value get(const std::byte* bytes, std::size_t i) {
    const int v = std::to_integer<int>(bytes[i / 2] >> (i % 2 ? 4 : 0)) & 15;
    return static_cast<T>(v > highest ? v - 16 : v);
  }
  /// i is even: the first of a byte clears the second.
  template <class E> static void set(const E& e, std::byte* bytes, std::size_t i) {
    for (Index k = 0; k < e.size(); ++k, ++i) {
      const auto bits = static_cast<std::byte>(convert<T>(e.coeff(k)) & 15);
      bytes[i / 2] = i % 2 ? bytes[i / 2] | bits << 4 : bits;
    }
  }
};
template <> struct Elements<Int4> : Nibbles<std::int8_t, -8, 7> {};
template <> struct Elements<Uint4> : Nibbles<std::uint8_t, 0, 15> {};

}  // namespace webnn::reference
