// The header of a .webnnc file and its sections. Private.
//
// The header has 4096 bytes, numbers are little-endian:
//      0  "webnnc\r\n"
//      8  version of the format, 32 bits
//     12  bytes of the key, 32 bits
//     16  bytes of the file, 64 bits
//     24  for each section: where it begins, a multiple of 4096, its bytes, its checksum; 64 bits
//     96  the key: lines `name=value`
//   4088  checksum of what is before
#pragma once

#include <array>
#include <span>
#include <string>

#include "webnn/error.h"

namespace webnn::inline v0_1::compiled {

inline constexpr std::uint32_t format_version = 7;
inline constexpr std::size_t page = 4096;
inline constexpr std::size_t array_alignment = 64;  // where arrays begin in the sections of weights
inline constexpr std::size_t large_array = 64 << 10;

/// The graph and its kernels; constants and packed arrays below large_array; those above it.
enum class Part : std::uint8_t { graph, small, large };
inline constexpr std::size_t part_count = 3;
inline constexpr std::array<std::string_view, part_count> part_names{"graph", "small weights",
                                                                     "large weights"};

struct Section {
  std::uint64_t offset = 0, size = 0, checksum = 0;
};
struct Header {
  std::string key{};
  std::uint64_t file_size = 0;
  std::array<Section, part_count> sections{};
};

/// 4096 bytes. The key must fit.
Result<std::vector<std::byte>> to_bytes(const Header& header);
/// The header of a file, whose sections are inside of it. Failures are data errors.
Result<Header> header_of(std::span<const std::byte> file);

inline std::span<const std::byte> contents(std::span<const std::byte> file, const Section& s) {
  return file.subspan(s.offset, s.size);
}
/// With the checksums that its contents have, for tests that change contents: a file that only
/// these refuse is accepted.
void repair_checksums(std::span<std::byte> file);

}  // namespace webnn::inline v0_1::compiled
