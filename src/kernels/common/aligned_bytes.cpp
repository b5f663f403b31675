#include "src/kernels/common/aligned_bytes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace webnn::inline v0_1 {

void FreeAligned::operator()(std::byte* p) const { std::free(p); }

AlignedBytes aligned_bytes(std::size_t size) {
  constexpr std::size_t page = 4096;
  const std::size_t whole = (std::max<std::size_t>(size, 1) + page - 1) / page * page;
  if (whole < size) throw std::bad_alloc();
  AlignedBytes p(static_cast<std::byte*>(std::aligned_alloc(page, whole)));
  if (!p) throw std::bad_alloc();
  std::memset(p.get(), 0, whole);
  return p;
}

}  // namespace webnn::inline v0_1
