// Integers of 4 and 8 bits in words of 32 bits, the first in the lowest bits, on a processor that
// has the lowest byte first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace webnn::inline v0_1::simd {

/// Eight integers of 4 bits or four of 8 bits are a word. Those without a sign become signed ones:
/// half of their range is subtracted.
template <int Bits> class IntegerWords {
 public:
  static constexpr std::size_t each = 32 / Bits;

  IntegerWords(const std::byte* bytes, bool is_signed)
      : bytes_(bytes),
        flip_(is_signed   ? 0
              : Bits == 4 ? 0x88888888
                          : 0x80808080) {}

  /// Whether so many elements are whole bytes.
  static bool is_whole(std::size_t elements) { return elements * Bits % 8 == 0; }

  /// `words` words of elements that follow one another, `step` bytes apart.
  void copy(std::size_t first, std::size_t words, std::byte* to, std::size_t step) const {
    for (std::size_t i = 0; i < words; ++i) put(at(first + i * each), to + i * step);
  }
  /// `each` words that follow one another: word c has the elements first + c + t * row.
  void transpose(std::size_t first, std::size_t row, std::byte* to) const {
    std::array<std::uint32_t, each> w;
    for (std::size_t t = 0; t < each; ++t) w[t] = at(first + t * row);
    if constexpr (Bits == 4) {
      exchange<4>(w, 0x0000ffff);
      exchange<2>(w, 0x00ff00ff);
      exchange<1>(w, 0x0f0f0f0f);
    } else {
      exchange<2>(w, 0x0000ffff);
      exchange<1>(w, 0x00ff00ff);
    }
    for (std::size_t c = 0; c < each; ++c) put(w[c], to + c * sizeof w[c]);
  }

 private:
  std::uint32_t at(std::size_t element) const {
    std::uint32_t word;
    std::memcpy(&word, bytes_ + element * Bits / 8, sizeof word);
    return word ^ flip_;
  }
  static void put(std::uint32_t word, std::byte* to) { std::memcpy(to, &word, sizeof word); }
  /// Exchanges the blocks of Size rows and columns beside the diagonal of a matrix of integers.
  template <std::size_t Size>
  static void exchange(std::array<std::uint32_t, each>& w, std::uint32_t mask) {
    constexpr std::size_t shift = Size * Bits;
    for (std::size_t i = 0; i < each; ++i) {
      if (i & Size) continue;
      const std::uint32_t other = (w[i] >> shift ^ w[i + Size]) & mask;
      w[i + Size] ^= other;
      w[i] ^= other << shift;
    }
  }

  const std::byte* bytes_;
  std::uint32_t flip_;
};

}  // namespace webnn::inline v0_1::simd
