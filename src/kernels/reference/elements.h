// Elements by their index, whatever their size: two of 4 bits share a byte, the first its low half.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/kernels/common/dispatch_type.h"

namespace webnn::reference {

template <class T> struct Elements {
  using Value = T;
  static constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();

  const T* data;

  explicit Elements(const std::byte* bytes) : data(reinterpret_cast<const T*>(bytes)) {}
  Value operator[](std::size_t i) const { return data[i]; }
  static void set(std::byte* bytes, std::size_t i, Value v) { reinterpret_cast<T*>(bytes)[i] = v; }
};

template <class T, T Least, T Most> struct Nibbles {
  using Value = T;
  static constexpr T least = Least, most = Most;

  const std::byte* data;

  explicit Nibbles(const std::byte* bytes) : data(bytes) {}
  Value operator[](std::size_t i) const {
    const int v = std::to_integer<int>(data[i / 2] >> (i % 2 ? 4 : 0)) & 15;
    return static_cast<T>(v > most ? v - 16 : v);
  }
  /// In the order of the indices: the first of a byte clears the second.
  static void set(std::byte* bytes, std::size_t i, Value v) {
    const auto bits = static_cast<std::byte>(v & 15);
    bytes[i / 2] = i % 2 ? bytes[i / 2] | bits << 4 : bits;
  }
};
template <> struct Elements<Int4> : Nibbles<std::int8_t, -8, 7> { using Nibbles::Nibbles; };
template <> struct Elements<Uint4> : Nibbles<std::uint8_t, 0, 15> { using Nibbles::Nibbles; };

}  // namespace webnn::reference
