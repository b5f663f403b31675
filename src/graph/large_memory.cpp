#include "src/graph/large_memory.h"

#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace webnn::inline v0_1 {
namespace {

std::byte* aligned(void* memory, std::size_t alignment) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  return static_cast<std::byte*>(memory) + (alignment - at % alignment) % alignment;
}

}  // namespace

LargeMemory::LargeMemory(std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t page = 2 << 20;
  if (bytes >= page && bytes < SIZE_MAX / 2) {
    constexpr std::size_t small_page = 4096;  // at least
    mapped_ = (bytes + small_page - 1) / small_page * small_page;
    void* const memory =
        mmap(nullptr, mapped_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    begin_ = data_ = aligned(memory, page);
    const auto before = static_cast<std::size_t>(data_ - static_cast<std::byte*>(memory));
    if (before > 0) munmap(memory, before);
    munmap(data_ + mapped_, page - before);
    // Whole pages: the end takes no more memory than it has. A system without them refuses.
    madvise(data_, bytes / page * page, MADV_HUGEPAGE);
    return;
  }
#endif
  constexpr std::size_t line = 64;
  if (bytes > SIZE_MAX - line || !(begin_ = std::calloc(bytes + line, 1))) throw std::bad_alloc();
  data_ = aligned(begin_, line);
}

LargeMemory::~LargeMemory() {
#ifdef MADV_HUGEPAGE
  if (mapped_ > 0) {
    munmap(begin_, mapped_);
    return;
  }
#endif
  std::free(begin_);
}

void LargeMemory::swap(LargeMemory& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
}

}  // namespace webnn::inline v0_1
