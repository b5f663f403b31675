#include "src/kernels/common/shared_array.h"

#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace webnn {
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

/// Not against an adversary: equal hashes are compared.
std::uint64_t hash_of(std::span<const std::byte> bytes) {
  constexpr std::uint64_t prime = 0x9e3779b97f4a7c15;
  std::uint64_t lanes[4] = {bytes.size(), prime, 2 * prime, 3 * prime};
  const auto mix = [](std::uint64_t h, std::uint64_t v) {
    h = (h ^ v) * prime;
    return h ^ (h >> 29);
  };
  std::size_t i = 0;
  for (; i + 32 <= bytes.size(); i += 32) {
    std::uint64_t v[4];
    std::memcpy(v, bytes.data() + i, 32);
    for (int k = 0; k < 4; ++k) lanes[k] = mix(lanes[k], v[k]);
  }
  for (; i < bytes.size(); ++i) lanes[i % 4] = mix(lanes[i % 4], static_cast<unsigned>(bytes[i]));
  return mix(mix(mix(lanes[0], lanes[1]), lanes[2]), lanes[3]);
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
  struct Free {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  struct Block final : WeightBlock {
    std::unique_ptr<std::byte, Free> memory;
  };
  auto block = std::make_shared<Block>();
  block->memory.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(64))));
  to = block->memory.get();
  std::memset(to, 0, bytes);
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
  const std::uint64_t hash = (hash_of(block->bytes) ^ block->layout) | 1;
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

}  // namespace webnn
