// Memory that grows without keeping what it has.
#pragma once

#include <cstddef>

namespace webnn::inline v0_1 {

/// Whole pages, whose values are whatever was there. Where the system can move pages, those that
/// were touched stay so when there are more of them; no page is touched before it is used.
class Pages {
 public:
  Pages() = default;
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  ~Pages() { reset(); }

  std::byte* get() const { return memory_; }
  std::size_t size() const { return size_; }
  /// Makes it at least so many bytes. Throws std::bad_alloc, and then has none.
  void grow(std::size_t bytes);
  void reset();

 private:
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace webnn::inline v0_1
