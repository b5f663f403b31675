#include "src/runtime/shared_pages.h"

#include <atomic>
#include <limits>
#include <new>

#include "src/runtime/checked_memory.h"

#if defined(__linux__) && !defined(WEBNN_CHECKED_MEMORY)
#define WEBNN_MAPS_PAGES
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t round_down(std::size_t n) { return n / page * page; }
constexpr std::size_t round_up(std::size_t n) { return round_down(n + page - 1); }

#ifdef WEBNN_MAPS_PAGES
constexpr std::size_t min_mapped = 64 << 10;  // bytes: smaller memory comes from the heap
/// A process may have some 65,000 mappings, and each part of these may divide another one in three.
constexpr long max_parts = 16'000;
std::atomic<long> all_parts{0};
#endif

}  // namespace

#ifdef WEBNN_MAPS_PAGES

std::shared_ptr<PageFile> PageFile::make() {
  static const bool fits = sysconf(_SC_PAGESIZE) == long{page} && sizeof(off_t) == 8;
  if (!fits) return nullptr;
  const int descriptor = memfd_create("webnn states", MFD_CLOEXEC);
  if (descriptor < 0) return nullptr;
  return std::shared_ptr<PageFile>(new PageFile(descriptor, getpid()));
}

PageFile::~PageFile() { close(descriptor_); }

bool PageFile::write(std::size_t at, std::span<const std::byte> bytes) const {
  if (getpid() != process_) return false;
  while (!bytes.empty()) {
    const ssize_t n = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

bool PageFile::read(std::size_t at, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t n = pread(descriptor_, to.data(), to.size(), static_cast<off_t>(at));
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
    to = to.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

SharedPages::SharedPages(std::size_t bytes, const MemorySource& source) : size_(bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
  if (bytes >= min_mapped && !source.allocator) {
    void* const memory = mmap(nullptr, round_up(bytes), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(memory);
    mapped_size_ = round_up(bytes);
    return;
  }
  own_ = aligned_bytes(bytes, source);
  memory_ = own_.get();
}

SharedPages::~SharedPages() {
  if (mapped_size_ == 0) return;
  munmap(memory_, mapped_size_);
  all_parts.fetch_sub(parts_, std::memory_order_relaxed);
}

bool SharedPages::map(const PageRange& pages, const PageFile& file, std::size_t at) {
  if (!can_map()) return false;
  const PageRange r = whole_pages(pages);
  if (r.begin == r.end) return true;
  if (all_parts.fetch_add(1, std::memory_order_relaxed) >= max_parts) {
    all_parts.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  std::byte* const to = memory_ + r.begin;
  const std::size_t bytes = r.end - r.begin;
  const auto mapped = [&](int flags, int descriptor, std::size_t from) {
    return mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | flags,
                descriptor, static_cast<off_t>(from)) != MAP_FAILED;
  };
  if (mapped(0, file.descriptor_, at + r.begin)) {
    ++parts_;
    return true;
  }
  all_parts.fetch_sub(1, std::memory_order_relaxed);
  // What was there may be gone.
  if (!mapped(MAP_ANONYMOUS, -1, 0) || !file.read(at + r.begin, {to, bytes}))
    throw std::bad_alloc();
  return true;
}

void SharedPages::give_back(const PageRange& pages) {
  const PageRange r = whole_pages(pages);
  if (can_map() && r.begin < r.end) madvise(memory_ + r.begin, r.end - r.begin, MADV_DONTNEED);
}

#else

std::shared_ptr<PageFile> PageFile::make() { return nullptr; }
PageFile::~PageFile() = default;
bool PageFile::write(std::size_t, std::span<const std::byte>) const { return false; }
bool PageFile::read(std::size_t, std::span<std::byte>) const { return false; }

SharedPages::SharedPages(std::size_t bytes, const MemorySource& source)
    : size_(bytes), own_(aligned_bytes(bytes, source)) {
  memory_ = own_.get();
}
SharedPages::~SharedPages() = default;
bool SharedPages::map(const PageRange&, const PageFile&, std::size_t) { return false; }
void SharedPages::give_back(const PageRange&) {}

#endif

std::size_t PageFile::reserve(std::size_t bytes) {
  const std::size_t at = size_;
  size_ += round_up(bytes);
  return at;
}

PageRange SharedPages::whole_pages(const PageRange& r) {
  const std::size_t begin = round_up(r.begin), end = round_down(r.end);
  return {begin, begin < end ? end : begin};
}

}  // namespace webnn::inline v0_1
