// Memory that is written before it is read. Private.
#pragma once

#include <cstddef>
#include <type_traits>

#include "src/graph/large_memory.h"

namespace webnn::inline v0_1::lm {

/// So many elements, whose values are not set: other threads than the one that makes it may be the
/// first to touch its pages.
template <class T> class Buffer {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  Buffer() = default;
  explicit Buffer(std::size_t size) : memory_(size * sizeof(T)), size_(size) {}

  T* data() { return reinterpret_cast<T*>(memory_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  const T& operator[](std::size_t i) const { return data()[i]; }

 private:
  LargeMemory memory_{};
  std::size_t size_ = 0;
};

}  // namespace webnn::inline v0_1::lm
