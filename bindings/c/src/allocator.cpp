#include "bindings/c/src/allocator.h"

#include "bindings/c/src/values.h"

namespace webnn::inline v0_1::c {
namespace {

constexpr webnn_allocator default_allocator = WEBNN_ALLOCATOR_INIT;

class CallerMemory final : public Allocator {
 public:
  explicit CallerMemory(const webnn_allocator& allocator) : allocator_(allocator) {}
  ~CallerMemory() override {
    if (owned && allocator_.release) allocator_.release(allocator_.user);
  }
  void* allocate(std::size_t bytes, std::size_t alignment, MemoryPurpose purpose) override {
    return allocator_.allocate(allocator_.user, bytes, alignment,
                               static_cast<webnn_memory_purpose>(purpose));
  }
  void deallocate(void* memory, std::size_t bytes, MemoryPurpose purpose) noexcept override {
    allocator_.deallocate(allocator_.user, memory, bytes,
                          static_cast<webnn_memory_purpose>(purpose));
  }

  bool owned = false;

 private:
  const webnn_allocator allocator_;
};

}  // namespace

std::shared_ptr<Allocator> allocator_of(const webnn_allocator* allocator) {
  if (!allocator) return nullptr;
  const auto all = complete(allocator, default_allocator, "createContext");
  need(all.allocate, {"createContext", "allocator.allocate"});
  need(all.deallocate, {"createContext", "allocator.deallocate"});
  return std::make_shared<CallerMemory>(all);
}
void own(const std::shared_ptr<Allocator>& allocator) {
  if (allocator) static_cast<CallerMemory&>(*allocator).owned = true;
}

}  // namespace webnn::inline v0_1::c
