// Memory for operands, aligned to a page.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "webnn/allocator.h"

namespace webnn::inline v0_1 {

/// Where memory comes from: the allocator of a context, or the system.
struct MemorySource {
  std::shared_ptr<Allocator> allocator{};
  MemoryPurpose purpose = MemoryPurpose::runs;

  /// Memory of the allocator, which there is. Throws std::bad_alloc, and OperationError when it is
  /// not aligned.
  std::byte* allocate(std::size_t bytes, std::size_t alignment) const;
  void deallocate(std::byte* memory, std::size_t bytes) const noexcept {
    allocator->deallocate(memory, bytes, purpose);
  }
};

struct FreeAligned {
  MemorySource source{};
  std::size_t bytes = 0;
  void operator()(std::byte* p) const;
};
using AlignedBytes = std::unique_ptr<std::byte[], FreeAligned>;

/// At least `size` zeroed bytes, aligned to a page. Throws std::bad_alloc.
AlignedBytes aligned_bytes(std::size_t size, const MemorySource& source = {});

}  // namespace webnn::inline v0_1
