#include "src/kernels/common/shared_array.h"

#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "src/kernels/common/cache_aligned.h"
#include "src/kernels/common/checksum.h"

namespace webnn::inline v0_1 {
namespace {

struct Registry {
  std::mutex mutex{};
  std::unordered_multimap<std::uint64_t, std::weak_ptr<const WeightBlock>> blocks{};
};
/// Never destroyed: graphs may outlive static objects.
Registry& registry() {
  static Registry& r = *new Registry;
  return r;
}

thread_local PackedBlocks* innermost = nullptr;

}  // namespace

PackedBlocks::PackedBlocks() : outer_(innermost) { innermost = this; }
PackedBlocks::PackedBlocks(WeightBlocks given)
    : blocks_(std::move(given)), given_(true), outer_(innermost) {
  innermost = this;
}
PackedBlocks::~PackedBlocks() { innermost = outer_; }

std::shared_ptr<const WeightBlock> PackedBlocks::next(std::size_t bytes, std::uint64_t layout) {
  PackedBlocks* const all = innermost;
  if (!all || !all->given_) return nullptr;
  if (all->next_ == all->blocks_.size())
    throw std::runtime_error("the kernel packs more arrays than there are");
  const auto& block = all->blocks_[all->next_];
  if (block->bytes.size() != bytes)
    throw std::runtime_error("packed array " + std::to_string(all->next_) + " has " +
                             std::to_string(block->bytes.size()) + " bytes, not " +
                             std::to_string(bytes));
  if (block->layout != layout)
    throw std::runtime_error("packed array " + std::to_string(all->next_) + " has another layout");
  ++all->next_;
  return block;
}

void PackedBlocks::add(const std::shared_ptr<const WeightBlock>& block) {
  if (innermost && !innermost->given_) innermost->blocks_.push_back(block);
}

std::shared_ptr<WeightBlock> new_block(std::size_t bytes, std::uint64_t layout, std::byte*& to) {
  struct Block final : WeightBlock {
    CacheAligned<std::byte> memory;
    explicit Block(std::size_t n) : memory(n) {}
  };
  auto block = std::make_shared<Block>(bytes);
  to = block->memory.data();
  block->bytes = {to, bytes};
  block->layout = layout;
  return block;
}

WeightBlock::~WeightBlock() {
  if (hash == 0) return;
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const auto [begin, end] = r.blocks.equal_range(hash);
  for (auto i = begin; i != end;)
    if (i->second.expired()) i = r.blocks.erase(i);
    else ++i;
}

std::shared_ptr<const WeightBlock> shared_block(std::shared_ptr<WeightBlock> block) {
  constexpr std::size_t small = 16 << 10;
  if (block->bytes.size() < small) return block;
  // Equal ones are compared.
  const std::uint64_t hash = (checksum_of(block->bytes) ^ block->layout) | 1;
  std::shared_ptr<const WeightBlock> other;  // released after the lock, which its destructor takes
  {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    const auto [begin, end] = r.blocks.equal_range(hash);
    for (auto i = begin; i != end && !other; ++i) other = i->second.lock();
    if (!other) {
      r.blocks.emplace(hash, block);
      block->hash = hash;
    }
  }
  const bool same = other && other->layout == block->layout &&
                    other->bytes.size() == block->bytes.size() &&
                    std::memcmp(other->bytes.data(), block->bytes.data(), other->bytes.size()) == 0;
  if (!same) return block;
  return other;
}

}  // namespace webnn::inline v0_1
