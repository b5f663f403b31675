// Allocator: memory of the program for the large things of a context.
#pragma once

#include "webnn/language.h"

#include <cstddef>
#include <cstdint>

#include "webnn/data_type.h"

namespace webnn::inline v0_1 {

/// The purpose of memory.
enum class MemoryPurpose : std::uint8_t {
  runs,     ///< intermediate results and scratch of runs, which a graph keeps for the next ones
  weights,  ///< weights in the layouts of kernels, as long as a graph has them
  tensors   ///< MLTensor, states, and values on their way to a tensor
};
constexpr auto names_of(MemoryPurpose) { return names("runs", "weights", "tensors"); }

/// The source of the large memory of a context: MLContextOptions::allocator. Objects that hold its
/// memory keep the allocator alive, also when the context is gone. Equal weights of several graphs
/// exist once, in memory of the context that packed them first.
///
/// The allocator does not give memory for constants, which a program or a file brings, for small
/// things, for weights that XNNPACK and oneDNN keep in their own memory, and for what is needed
/// only while a graph is optimized. With an allocator, states that grow take their memory at once,
/// and forks of them are copies.
class Allocator {
 public:
  Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  virtual ~Allocator() = default;

  /// Returns at least this many bytes, more than 0, at a multiple of the alignment, a power of 2.
  /// If there are none, it returns null or throws std::bad_alloc; the call of the library that
  /// needs them then fails, as it does when the system has no memory. The bytes may have any
  /// values. It is called by any thread, and by several at the same time.
  virtual void* allocate(std::size_t bytes, std::size_t alignment, MemoryPurpose purpose) = 0;
  /// Takes back memory that allocate() gave for this many bytes and this purpose. It is called by
  /// any thread.
  virtual void deallocate(void* memory, std::size_t bytes, MemoryPurpose purpose) noexcept = 0;
};

}  // namespace webnn::inline v0_1
