#include "tests/faults/operator_new.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace webnn::inline v0_1::test {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
std::atomic<std::int64_t> made{0}, freed{0}, bytes{0}, countdown{never};
std::atomic<bool> go_on_failing{false}, has_failed{false};

void* allocate(std::size_t size, std::size_t alignment) {
  if (countdown.load() != never) {
    const std::int64_t left = countdown.fetch_sub(1);
    if (left == 0 || (left < 0 && go_on_failing)) {
      has_failed = true;
      throw std::bad_alloc();
    }
  }
  void* p = alignment
                ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                : std::malloc(size ? size : 1);
  if (!p) throw std::bad_alloc();
  ++made;
  bytes += static_cast<std::int64_t>(malloc_usable_size(p));
  return p;
}
void release(void* p) {
  if (p) {
    ++freed;
    bytes -= static_cast<std::int64_t>(malloc_usable_size(p));
  }
  std::free(p);
}

}  // namespace

std::int64_t allocations() { return made; }
std::int64_t alive() { return made - freed; }
std::int64_t bytes_alive() { return bytes; }

FailingNew::FailingNew(std::int64_t n, bool all) {
  has_failed = false;
  go_on_failing = all;
  countdown = n;
}
FailingNew::~FailingNew() { countdown = never; }
bool FailingNew::failed() const { return has_failed; }

}  // namespace webnn::inline v0_1::test

using webnn::test::allocate;
using webnn::test::release;
void* operator new(std::size_t n) { return allocate(n, 0); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  try {
    return allocate(n, 0);
  } catch (const std::bad_alloc&) { return nullptr; }
}
void* operator new[](std::size_t n) { return allocate(n, 0); }
void* operator new(std::size_t n, std::align_val_t a) {
  return allocate(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return allocate(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }
