// The packed weights of a graph: each block once, by its constants and its layout.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "src/runtime/chains.h"
#include "src/runtime/packed_block.h"
#include "webnn/thread_pool.h"

namespace webnn::inline v0_1 {

/// Bytes of the weights that a kernel wants.
std::size_t packed_bytes(const Candidate& kernel);
/// By input of a kernel: whether `run` reads it. It does not read constants that are only packed.
std::vector<bool> inputs_read(const Candidate& kernel, std::size_t inputs);

/// Where the memory of blocks comes from, and what is called while weights are packed, on the
/// thread that packs; what it throws ends it.
struct PackObserver {
  MemorySource memory{.purpose = MemoryPurpose::weights};  ///< of the blocks
  /// Gives the released constants of a block their bytes again, where that can be done.
  std::function<void(const WeightBlock&, const std::vector<MLOperand>& inputs)> restore{};
  /// A block that was stored; null where there is none.
  std::function<std::shared_ptr<const PackedBlock>(const BlockKey&)> stored{};
  std::function<void(const Choice&)> packed{};  ///< a kernel has all of its weights
  /// Bytes that are packed, of all that are to be packed.
  std::function<void(std::size_t done, std::size_t total)> progress{};
};

/// Kernels of other shapes, which come later, find the blocks that are there by the same constants
/// and layouts.
class PackedWeights {
 public:
  PackedWeights() = default;
  /// For a trial: blocks of `others` are found, too. It lives longer.
  explicit PackedWeights(const PackedWeights* others) : others_(others) {}
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;
  ~PackedWeights() { clear(); }

  /// From now on blocks of these weights are found, too, until null is given.
  void find_in(const PackedWeights* others) { others_ = others; }
  std::shared_ptr<const PackedBlock> find(const BlockKey& key) const;
  void add(const BlockKey& key, std::shared_ptr<const PackedBlock> block);
  /// The blocks of a kernel that has them.
  void add(const Choice& choice);
  /// A block that a kernel wants and that cannot be packed, because a constant is released; null
  /// when there is none.
  const WeightBlock* missing(const Choice& choice) const;

  /// Gives the kernels that have no blocks the blocks that they want: those that are there, those
  /// of other graphs, and new ones, which all threads pack. Throws OperationError when a constant
  /// is released, or for what WeightBlock::fill throws.
  void pack(std::span<Choice> choices, ThreadPool& pool, const PackObserver& observer = {});

  /// From now on the graph counts as a holder of its blocks.
  void hold();
  void clear();
  const std::unordered_set<std::shared_ptr<const PackedBlock>>& blocks() const { return blocks_; }
  /// f(key, block) for each of a layout.
  template <class F> void for_each(F f) const {
    for (const auto& [key, block] : by_key_) f(key, block);
  }
  std::size_t bytes() const { return bytes_; }          ///< but for those of mapped files
  std::size_t new_bytes() const { return new_bytes_; }  ///< that pack() has filled
  std::size_t shared() const;  ///< of these: those that other graphs hold too

 private:
  void keep(const std::shared_ptr<const PackedBlock>& block);

  const PackedWeights* others_ = nullptr;
  std::unordered_map<BlockKey, std::shared_ptr<const PackedBlock>, HashBlockKey> by_key_{};
  std::unordered_set<std::shared_ptr<const PackedBlock>> blocks_{};
  std::size_t bytes_ = 0, new_bytes_ = 0;
  bool holds_ = false;
};

}  // namespace webnn::inline v0_1
