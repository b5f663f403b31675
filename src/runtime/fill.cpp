#include "src/runtime/fill.h"

#include <array>
#include <atomic>
#include <bit>

namespace webnn::inline v0_1 {
namespace {

#ifdef NDEBUG
std::atomic<bool> fills{false};
#else
std::atomic<bool> fills{true};
#endif

}  // namespace

bool fills_memory() { return fills.load(std::memory_order_relaxed); }
void set_fills_memory(bool value) { fills.store(value, std::memory_order_relaxed); }

void fill(std::span<std::byte> memory) {
  const auto pattern = std::bit_cast<std::array<std::byte, 4>>(unwritten_pattern);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = pattern[i % pattern.size()];
}

}  // namespace webnn::inline v0_1
