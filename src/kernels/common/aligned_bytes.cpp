#include "src/kernels/common/aligned_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "src/graph/callback_scope.h"
#include "src/graph/failure.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {

std::byte* MemorySource::allocate(std::size_t bytes, std::size_t alignment) const {
  const CallbackScope scope(allocator.get(), "allocator");
  void* const memory = allocator->allocate(bytes, alignment, purpose);
  if (!memory) throw std::bad_alloc();
  if (reinterpret_cast<std::uintptr_t>(memory) % alignment == 0)
    return static_cast<std::byte*>(memory);
  allocator->deallocate(memory, bytes, purpose);
  raise({"the memory that it gives for " + std::string(name_of(purpose)) + " is not aligned to " +
             std::to_string(alignment) + " bytes",
         ErrorName::OperationError},
        "Allocator");
}

void FreeAligned::operator()(std::byte* p) const {
  if (source.allocator) source.deallocate(p, bytes);
  else std::free(p);
}

AlignedBytes aligned_bytes(std::size_t size, const MemorySource& source) {
  constexpr std::size_t page = 4096;
  const std::size_t whole = (std::max<std::size_t>(size, 1) + page - 1) / page * page;
  if (whole < size) throw std::bad_alloc();
  std::byte* const memory = source.allocator
                                ? source.allocate(whole, page)
                                : static_cast<std::byte*>(std::aligned_alloc(page, whole));
  AlignedBytes p(memory, FreeAligned{source, whole});
  if (!p) throw std::bad_alloc();
  std::memset(p.get(), 0, whole);
  return p;
}

}  // namespace webnn::inline v0_1
