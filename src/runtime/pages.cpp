#include "src/runtime/pages.h"

#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include "src/runtime/checked_memory.h"

#if defined(__linux__) && !defined(WEBNN_CHECKED_MEMORY)
#define WEBNN_MOVES_PAGES
#include <sys/mman.h>
#endif

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t page = 4096;

/// So many pages in place of those that are there; null, and those are there, if there are no more.
std::byte* moved(std::byte* memory, std::size_t size, std::size_t bytes) {
#ifdef WEBNN_MOVES_PAGES
  void* const now =
      memory ? mremap(memory, size, bytes, MREMAP_MAYMOVE)
             : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return now == MAP_FAILED ? nullptr : static_cast<std::byte*>(now);
#else
  (void)size;
  void* const now = std::aligned_alloc(page, bytes);
  if (now) std::free(memory);
  return static_cast<std::byte*>(now);
#endif
}

}  // namespace

Pages::Pages(Pages&& other) noexcept
    : source_(other.source_),
      memory_(std::exchange(other.memory_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  if (this == &other) return *this;
  reset();
  source_ = other.source_;
  memory_ = std::exchange(other.memory_, nullptr);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

void Pages::grow(std::size_t bytes) {
  if (bytes <= size_) return;
  std::byte* now = nullptr;
  if (bytes <= std::numeric_limits<std::size_t>::max() / 2) {
    bytes = (bytes + page - 1) / page * page;
    if (source_.allocator) {
      reset();
      now = source_.allocate(bytes, page);
    } else {
      now = moved(memory_, size_, bytes);
    }
  }
  if (!now) {
    reset();
    throw std::bad_alloc();
  }
  memory_ = now;
  size_ = bytes;
}

void Pages::reset() {
  if (!memory_) return;
  if (source_.allocator) {
    source_.deallocate(memory_, size_);
  } else {
#ifdef WEBNN_MOVES_PAGES
    munmap(memory_, size_);
#else
    std::free(memory_);
#endif
  }
  memory_ = nullptr;
  size_ = 0;
}

}  // namespace webnn::inline v0_1
