// Checksums of bytes: for equal ones and for damage, not against someone who wants the same sum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace webnn::inline v0_1 {

/// A sum and one more value.
constexpr std::uint64_t mixed(std::uint64_t sum, std::uint64_t v) {
  sum = (sum ^ v) * 0x9e3779b97f4a7c15;
  return sum ^ sum >> 29;
}

class Checksum {
 public:
  /// Bytes that follow those before.
  void add(std::span<const std::byte> bytes);
  std::uint64_t value() const;

 private:
  static constexpr std::size_t block = 64;
  void mix(const std::byte* from);

  std::array<std::uint64_t, 8> lanes_{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<std::byte, block> rest_{};
  std::uint64_t size_ = 0;
};

inline std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.value();
}

}  // namespace webnn::inline v0_1
