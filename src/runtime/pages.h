// Memory that grows without keeping what it has.
#pragma once

#include <cstddef>

#include "src/kernels/common/aligned_bytes.h"

namespace webnn::inline v0_1 {

/// Whole pages, whose values are whatever was there. Where the system can move pages, those that
/// were touched stay so when there are more of them; no page is touched before it is used.
class Pages {
 public:
  /// From an allocator, or from the system.
  explicit Pages(MemorySource source = {}) : source_(std::move(source)) {}
  /// What is moved from has the same source.
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  ~Pages() { reset(); }

  std::byte* get() const { return memory_; }
  std::size_t size() const { return size_; }
  /// Makes it at least so many bytes. Throws std::bad_alloc, and then has none.
  void grow(std::size_t bytes);
  void reset();

 private:
  MemorySource source_;
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace webnn::inline v0_1
