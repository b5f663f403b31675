#include "src/graph/mapped_memory.h"

#include "src/graph/access.h"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace webnn::inline v0_1 {

#if __has_include(<sys/mman.h>)

void Unmap::operator()(const void* address) const { munmap(const_cast<void*>(address), size); }

void give_pages_back(const std::shared_ptr<const std::byte>& owner,
                     std::span<const std::byte> bytes) {
  constexpr std::size_t few = 64 << 10;
  if (bytes.size() < few || !std::get_deleter<Unmap>(owner)) return;
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t begin = (first + page - 1) / page * page;
  const std::uintptr_t end = (first + bytes.size()) / page * page;
  // The file is mapped read only: what is dropped is read from it again.
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

#else

void Unmap::operator()(const void*) const {}
void give_pages_back(const std::shared_ptr<const std::byte>&, std::span<const std::byte>) {}

#endif

void give_pages_back(const Constant& constant) {
  if (!constant.released()) give_pages_back(detail::Access::bytes_of(constant), constant.bytes());
}

}  // namespace webnn::inline v0_1
