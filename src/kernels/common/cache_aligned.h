// Vectors that begin on a cache line: a load from two cache lines costs twice as much.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace webnn::inline v0_1 {

template <class T> struct CacheAlignedAllocator {
  using value_type = T;
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(64)));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t(64)); }
  bool operator==(const CacheAlignedAllocator&) const { return true; }
};
template <class T> using CacheAligned = std::vector<T, CacheAlignedAllocator<T>>;

}  // namespace webnn::inline v0_1
