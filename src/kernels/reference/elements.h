// Elements by their index, whatever their size: two of 4 bits share a byte, the first its low half.
#pragma once

#include <limits>

#include "src/kernels/reference/array.h"

namespace webnn::inline v0_1::reference {

template <class T> struct Elements {
  using Value = T;
  static constexpr T lowest = std::numeric_limits<T>::lowest(),
                     highest = std::numeric_limits<T>::max();

  /// n elements from i on, as values of type S.
  template <class S> static void read(const std::byte* bytes, std::size_t i, std::size_t n, S* to) {
    assign(array<S>(reinterpret_cast<const T*>(bytes) + i, n), to);
  }
  /// The elements from i on = an array expression.
  template <class E> static void set(const E& e, std::byte* bytes, std::size_t i) {
    store(e, reinterpret_cast<T*>(bytes) + i);
  }
};

template <class T, T Lowest, T Highest> struct Nibbles {
  using Value = T;
  static constexpr T lowest = Lowest, highest = Highest;

  template <class S> static void read(const std::byte* bytes, std::size_t i, std::size_t n, S* to) {
    const auto value = [](std::byte b, unsigned shift) {
      const int v = std::to_integer<int>(b >> shift) & 15;
      return static_cast<S>(v > highest ? v - 16 : v);
    };
    if (i % 2 && n > 0) *to++ = value(bytes[i / 2], 4), ++i, --n;
    for (const std::byte *from = bytes + i / 2, *end = from + n / 2; from < end; ++from, to += 2)
      to[0] = value(*from, 0), to[1] = value(*from, 4);
    if (n % 2) *to = value(bytes[(i + n) / 2], 0);
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

}  // namespace webnn::inline v0_1::reference
