// Bytes at an address that is a multiple of what a format asks for. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <memory>
#include <span>

namespace webnn::inline v0_1::formats {

struct SharedBytes {
  std::shared_ptr<const void> owner{};
  std::span<const std::byte> bytes{};
};

/// These bytes, copied when they are not aligned to 16 bytes.
[[gnu::visibility("hidden")]] SharedBytes aligned_to_16(std::shared_ptr<const void> owner,
                                                        std::span<const std::byte> bytes);

}  // namespace webnn::inline v0_1::formats
