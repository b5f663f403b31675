// Memory that ends at a page that cannot be touched.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace webnn::inline v0_1::test {

class Guarded {
 public:
  explicit Guarded(std::size_t bytes) {
    const std::size_t whole = (bytes + page - 1) / page * page;
    size_ = whole + 2 * page;
    base_ = static_cast<std::byte*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) throw std::runtime_error("no memory for a guarded array");
    mprotect(base_, page, PROT_NONE);
    mprotect(base_ + page + whole, page, PROT_NONE);
    begin_ = base_ + page + (whole - bytes);
    std::memset(base_ + page, 0xff, whole);
  }
  Guarded(const Guarded&) = delete;
  Guarded(Guarded&& o) noexcept : base_(o.base_), begin_(o.begin_), size_(o.size_) {
    o.base_ = nullptr;
  }
  ~Guarded() {
    if (base_) munmap(base_, size_);
  }
  std::byte* data() const { return begin_; }

 private:
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::byte *base_, *begin_;
  std::size_t size_;
};

}  // namespace webnn::inline v0_1::test
