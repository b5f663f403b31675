// Memory for packed weights.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace webnn::simd {

/// Begins on a cache line: a load that straddles two costs twice.
template <class T> struct CacheAligned {
  using value_type = T;
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(64)));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t(64)); }
  bool operator==(const CacheAligned&) const { return true; }
};
using Floats = std::vector<float, CacheAligned<float>>;

}  // namespace webnn::simd
