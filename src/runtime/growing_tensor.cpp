#include "src/runtime/growing_tensor.h"

#include <cstring>

namespace webnn::inline v0_1 {

Growth::Growth(const MLOperandDescriptor& d, std::size_t along, std::uint32_t bound)
    : axis(along), capacity(bound) {
  row = static_cast<std::size_t>(bits_of(d.dataType)) / 8;
  for (std::size_t i = 0; i < d.shape.size(); ++i)
    if (i != axis) (i < axis ? outer : row) *= d.shape[i];
}

void Growth::gather(const std::byte* memory, std::uint32_t rows, std::byte* to) const {
  const std::size_t bytes = rows * row;
  if (bytes == 0) return;
  for (std::size_t i = 0; i < outer; ++i)
    std::memcpy(to + i * bytes, memory + i * capacity * row, bytes);
}

void Growth::scatter(const std::byte* from, std::uint32_t rows, std::byte* memory) const {
  const std::size_t bytes = rows * row;
  if (bytes == 0) return;
  for (std::size_t i = 0; i < outer; ++i)
    std::memcpy(memory + i * capacity * row, from + i * bytes, bytes);
}

void Growth::clear(std::byte* memory, std::uint32_t begin, std::uint32_t end) const {
  for (std::size_t i = 0; i < outer && begin < end; ++i)
    std::memset(memory + (i * capacity + begin) * row, 0, (end - begin) * row);
}

}  // namespace webnn::inline v0_1
