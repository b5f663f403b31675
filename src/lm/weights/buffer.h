// Memory that is written before it is read. Private.
#pragma once

#include <cstddef>
#include <memory>

namespace webnn::inline v0_1::lm {

/// So many elements, whose values are not set: other threads than the one that makes it may be the
/// first to touch its pages.
template <class T> class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size)
      : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  std::unique_ptr<T[]> data_{};
  std::size_t size_ = 0;
};

}  // namespace webnn::inline v0_1::lm
