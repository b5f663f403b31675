// Memory of packed weights, in large pages where the system has them.
#pragma once

#include <cstddef>

namespace webnn::inline v0_1 {

/// So many zeros, aligned to 64 bytes. Pages that are not written take no memory, but large ones
/// are taken as a whole: there are fewer to find when weights are streamed, or made.
class LargeMemory {
 public:
  LargeMemory() = default;
  /// Throws std::bad_alloc.
  explicit LargeMemory(std::size_t bytes);
  LargeMemory(const LargeMemory&) = delete;
  LargeMemory(LargeMemory&& other) noexcept { swap(other); }
  LargeMemory& operator=(LargeMemory other) noexcept {
    swap(other);
    return *this;
  }
  ~LargeMemory();

  std::byte* data() const { return data_; }

 private:
  void swap(LargeMemory& other) noexcept;

  void* begin_ = nullptr;
  std::size_t mapped_ = 0;  // bytes from there; 0 for memory of calloc()
  std::byte* data_ = nullptr;
};

}  // namespace webnn::inline v0_1
