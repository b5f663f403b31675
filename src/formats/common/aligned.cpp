#include "src/formats/common/aligned.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace webnn::inline v0_1::formats {

SharedBytes aligned_to_16(std::shared_ptr<const void> owner, std::span<const std::byte> bytes) {
  constexpr std::size_t alignment = 16;
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment == 0)
    return {std::move(owner), bytes};
  struct alignas(alignment) Block {
    std::byte bytes[alignment];
  };
  auto copy = std::make_shared<std::vector<Block>>(bytes.size() / alignment + 1);
  std::memcpy(copy->data(), bytes.data(), bytes.size());
  const std::span<const std::byte> view(copy->data()->bytes, bytes.size());
  return {std::move(copy), view};
}

}  // namespace webnn::inline v0_1::formats
