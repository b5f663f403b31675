// The checksum of a section: finds damage, not what someone has made to have the same sum. Private.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace webnn::compiled {

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

}  // namespace webnn::compiled
