#include "src/runtime/packed_block.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "src/graph/large_memory.h"
#include "src/kernels/common/checksum.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t min_shared = 16 << 10;  // bytes
constexpr std::size_t alignment = 64;

std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

/// Returns a hash of some of the bytes; blocks with the same hash are then compared in full.
std::uint64_t sample_of(std::string_view layout, std::span<const std::byte> bytes) {
  constexpr std::size_t samples = 256, each = sizeof(std::uint64_t);
  std::uint64_t sum = mixed(hash_of(layout), bytes.size());
  const std::size_t last = bytes.size() - each;
  for (std::size_t i = 0; i < samples; ++i) {
    std::uint64_t v;
    std::memcpy(&v, bytes.data() + last / (samples - 1) * i, each);
    sum = mixed(sum, v);
  }
  return sum;
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

/// By what they follow from, and by a sample of their bytes.
class SharedBlocks {
 public:
  /// Never destroyed: graphs may outlive static objects.
  static SharedBlocks& instance() {
    static SharedBlocks& all = *new SharedBlocks;
    return all;
  }

  std::shared_ptr<const PackedBlock> find(const BlockKey& key) {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = blocks_.equal_range(key.hash());
    for (auto i = begin; i != end; ++i)
      if (i->second.key == key)
        if (auto block = i->second.block.lock()) return block;
    return nullptr;
  }

  std::shared_ptr<const PackedBlock> share(const std::shared_ptr<PackedBlock>& block,
                                           const BlockKey& key) {
    const std::uint64_t sample = sample_of(key.layout, block->bytes);
    PackedBlocks others;  // released after the lock, which their destructor takes
    {
      const std::lock_guard lock(mutex_);
      const auto [begin, end] = blocks_.equal_range(sample);
      for (auto i = begin; i != end; ++i)
        if (i->second.key.layout == key.layout)
          if (auto other = i->second.block.lock()) others.push_back(std::move(other));
    }
    const auto same = std::find_if(others.begin(), others.end(), [&](const auto& other) {
      return same_bytes(other->bytes, block->bytes);
    });
    const auto& kept = same == others.end() ? block : *same;
    const std::lock_guard lock(mutex_);
    if (kept == block) {
      BlockKey layout;
      layout.layout = key.layout;
      add(sample, std::move(layout), kept);
    }
    add(key.hash(), key, kept);
    return kept;
  }

  void remove(const PackedBlock& block) {
    const std::lock_guard lock(mutex_);
    for (const std::uint64_t place : block.places_) {
      const auto [begin, end] = blocks_.equal_range(place);
      for (auto i = begin; i != end;)
        if (i->second.block.expired()) i = blocks_.erase(i);
        else ++i;
    }
  }

 private:
  struct Entry {
    BlockKey key;
    std::weak_ptr<const PackedBlock> block;
  };
  void add(std::uint64_t place, BlockKey key, const std::shared_ptr<const PackedBlock>& block) {
    blocks_.emplace(place, Entry{std::move(key), block});
    const_cast<PackedBlock&>(*block).places_.push_back(place);
  }

  std::mutex mutex_{};
  std::unordered_multimap<std::uint64_t, Entry> blocks_{};
};

PackedBlock::~PackedBlock() {
  if (!places_.empty()) SharedBlocks::instance().remove(*this);
}

BlockKey::BlockKey(std::string_view backend, const WeightBlock& block,
                   std::span<const MLOperand> inputs)
    : layout(std::string(backend) + ": " + block.layout), bytes(block.bytes) {
  for (const int i : block.inputs)
    constants.push_back(facts_of(*inputs[static_cast<std::size_t>(i)].constant()));
}

std::uint64_t BlockKey::hash() const {
  std::uint64_t sum = mixed(hash_of(layout), bytes);
  for (const auto& c : constants) sum = mixed(sum, reinterpret_cast<std::uintptr_t>(c.get()));
  return sum;
}

std::shared_ptr<PackedBlock> new_block(std::size_t bytes, std::byte*& to,
                                       const MemorySource& source) {
  struct Allocated final : PackedBlock {
    const MemorySource from;
    const std::size_t whole;
    std::byte* const memory;
    Allocated(std::size_t n, MemorySource s)
        : from(std::move(s)),
          whole(std::max(n, alignment)),
          memory(from.allocate(whole, alignment)) {
      std::memset(memory, 0, whole);
    }
    ~Allocated() override { from.deallocate(memory, whole); }
  };
  if (source.allocator) {
    auto block = std::make_shared<Allocated>(bytes, source);
    to = block->memory;
    block->bytes = {to, bytes};
    block->size = bytes;
    return block;
  }
  struct Block final : PackedBlock {
    LargeMemory memory;
    explicit Block(std::size_t n) : memory(n) {}
  };
  auto block = std::make_shared<Block>(bytes);
  to = block->memory.data();
  block->bytes = {to, bytes};
  block->size = bytes;
  return block;
}

std::shared_ptr<const PackedBlock> find_shared(const BlockKey& key) {
  return key.bytes < min_shared ? nullptr : SharedBlocks::instance().find(key);
}

std::shared_ptr<const PackedBlock> share(const std::shared_ptr<PackedBlock>& block,
                                         const BlockKey& key) {
  return key.bytes < min_shared ? block : SharedBlocks::instance().share(block, key);
}

}  // namespace webnn::inline v0_1
