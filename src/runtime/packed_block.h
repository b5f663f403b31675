// Packed weights that are held once, however many kernels, graphs, contexts and threads want them.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/graph/constant_facts.h"
#include "src/kernels/common/aligned_bytes.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// Weights of one or more kernels. They do not change.
struct PackedBlock {
  std::span<const std::byte> bytes{};  ///< empty: the kernel has them in memory of its own
  std::size_t size = 0;                ///< of the memory
  bool mapped = false;                 ///< of a file
  mutable std::atomic<int> graphs{0};  ///< that hold it: for MLGraph::memory()

  PackedBlock() = default;
  PackedBlock(const PackedBlock&) = delete;
  virtual ~PackedBlock();

 private:
  friend class SharedBlocks;
  std::vector<std::uint64_t> places_{};  // in the table of shared blocks
};
using PackedBlocks = std::vector<std::shared_ptr<const PackedBlock>>;

/// What the bytes of a block follow from.
struct BlockKey {
  std::string layout{};  ///< with the name of the backend
  std::size_t bytes = 0;
  std::vector<std::shared_ptr<ConstantFacts>> constants{};

  BlockKey() = default;
  /// `inputs`: those of the chain of the kernel that wants the block.
  BlockKey(std::string_view backend, const WeightBlock& block, std::span<const MLOperand> inputs);
  bool operator==(const BlockKey&) const = default;
  std::uint64_t hash() const;
};
struct HashBlockKey {
  std::size_t operator()(const BlockKey& key) const { return static_cast<std::size_t>(key.hash()); }
};

/// Zeroed bytes, aligned to a cache line, to be filled.
std::shared_ptr<PackedBlock> new_block(std::size_t bytes, std::byte*& to,
                                       const MemorySource& source);

/// A block of this key that lives, of any graph; null when there is none.
std::shared_ptr<const PackedBlock> find_shared(const BlockKey& key);
/// The block that lives with the same layout and bytes, else this one. Others will find it. Small
/// blocks are not shared.
std::shared_ptr<const PackedBlock> share(const std::shared_ptr<PackedBlock>& block,
                                         const BlockKey& key);

}  // namespace webnn::inline v0_1
