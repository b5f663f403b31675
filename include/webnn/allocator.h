// Allocator: memory of the program for the large things of a context.
#pragma once

#include "webnn/language.h"

#include <cstddef>
#include <cstdint>

#include "webnn/data_type.h"

namespace webnn::inline v0_1 {

/// What memory is for.
enum class MemoryPurpose : std::uint8_t {
  runs,     ///< intermediate results and scratch of runs, which a graph keeps for the next ones
  weights,  ///< weights in the layouts of kernels, as long as a graph has them
  tensors   ///< MLTensor, states, and values on their way to a tensor
};
constexpr auto names_of(MemoryPurpose) { return names("runs", "weights", "tensors"); }

/// Where a context has its large memory from: MLContextOptions::allocator. What has memory keeps
/// the allocator alive, also when the context is gone. Weights that several graphs pack alike are
/// there once, in memory of the context that packed them first.
///
/// Not from here come constants, which a program or a file brings, what is small, weights that
/// XNNPACK and oneDNN keep in memory of their own, and what is needed only while a graph is
/// optimized. With an allocator states that grow take their memory at once, and forks of them copy.
class Allocator {
 public:
  Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  virtual ~Allocator() = default;

  /// At least so many bytes, more than 0, at a multiple of the alignment, a power of 2; null or
  /// std::bad_alloc where there are none: then the call of the library that needs them fails, as it
  /// does when the system has no memory. What the bytes are does not matter. It is called by any
  /// thread, and by several at the same time.
  virtual void* allocate(std::size_t bytes, std::size_t alignment, MemoryPurpose purpose) = 0;
  /// Takes back what allocate() gave for so many bytes and that purpose. It is called by any
  /// thread.
  virtual void deallocate(void* memory, std::size_t bytes, MemoryPurpose purpose) noexcept = 0;
};

}  // namespace webnn::inline v0_1
