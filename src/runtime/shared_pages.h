// Memory of which copies share the pages that stay as they are.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "src/kernels/common/aligned_bytes.h"

namespace webnn::inline v0_1 {

/// Bytes of a memory, from `begin` to before `end`.
struct PageRange {
  std::size_t begin = 0, end = 0;
};

/// Where pages are that several memories map: a file without a name. Parts of it are never changed.
class PageFile {
 public:
  /// Null where the system has no such files.
  static std::shared_ptr<PageFile> make();
  PageFile(const PageFile&) = delete;
  PageFile& operator=(const PageFile&) = delete;
  ~PageFile();

  /// Room for so many bytes; returns where.
  std::size_t reserve(std::size_t bytes);
  /// Writes what is not there yet. Returns whether it could; false also in another process than
  /// that which has made the file, since both would write to the same place.
  bool write(std::size_t at, std::span<const std::byte> bytes) const;

 private:
  friend class SharedPages;
  bool read(std::size_t at, std::span<std::byte> to) const;
  PageFile(int descriptor, long process) : descriptor_(descriptor), process_(process) {}

  int descriptor_;
  long process_;
  std::size_t size_ = 0;
};

/// Zeroed memory, aligned to a page. Where the system can do so, pages cost nothing before they are
/// touched, and some of them can be those of a file until they are written to.
class SharedPages {
 public:
  /// An allocator gives memory that can do neither. Throws std::bad_alloc.
  explicit SharedPages(std::size_t bytes, const MemorySource& source = {});
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;
  ~SharedPages();

  std::byte* get() const { return memory_; }
  std::size_t size() const { return size_; }
  /// Whether map() can do something.
  bool can_map() const { return mapped_size_ > 0; }
  /// The whole pages of a range.
  static PageRange whole_pages(const PageRange& range);
  /// Makes the whole pages of the range those of a file, in which the beginning of the memory has
  /// its place at `at`. Returns whether it could; else they are as they were. Throws
  /// std::bad_alloc, and what was in the range is lost.
  bool map(const PageRange& pages, const PageFile& file, std::size_t at);
  /// Gives back the whole pages of the range, where the system can do so. They then are zero, or
  /// those of the file again.
  void give_back(const PageRange& pages);

 private:
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0, mapped_size_ = 0;
  AlignedBytes own_{};  // where nothing can be mapped
  long parts_ = 0;      // that are mapped
};

}  // namespace webnn::inline v0_1
