// Packed weights that are held once, however many kernels, graphs, contexts and threads have made
// the same ones.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace webnn::inline v0_1 {

/// Part of the key of compiled graphs (webnn/compiled.h): to be raised when a kernel packs weights
/// in another way than before, or when graphs get other steps.
inline constexpr std::uint32_t packing_revision = 8;

/// Bytes that do not change.
struct WeightBlock {
  std::span<const std::byte> bytes{};
  std::uint64_t layout = 0;  ///< what their order depends on besides the chain, as a hash
  std::uint64_t hash = 0;
  bool mapped = false;                 ///< of a file
  mutable std::atomic<int> graphs{0};  ///< that hold it: for MLGraph::memory()

  WeightBlock() = default;
  WeightBlock(const WeightBlock&) = delete;
  virtual ~WeightBlock();
};
using WeightBlocks = std::vector<std::shared_ptr<const WeightBlock>>;

/// The block that lives with the same bytes, else this one, which others will then find.
std::shared_ptr<const WeightBlock> shared_block(std::shared_ptr<WeightBlock> block);

/// During its lifetime: the arrays that are packed on this thread, in their order. They are listed,
/// or, with those that an earlier lowering of the same chain has listed, taken from these.
class PackedBlocks {
 public:
  PackedBlocks();
  explicit PackedBlocks(WeightBlocks given);
  PackedBlocks(const PackedBlocks&) = delete;
  ~PackedBlocks();

  const WeightBlocks& blocks() const { return blocks_; }
  bool used_up() const { return !given_ || next_ == blocks_.size(); }

  /// The block for the next array; null if it is to be packed. Throws std::runtime_error when what
  /// is given has another size or layout.
  static std::shared_ptr<const WeightBlock> next(std::size_t bytes, std::uint64_t layout);
  static void add(const std::shared_ptr<const WeightBlock>& block);

 private:
  WeightBlocks blocks_{};
  bool given_ = false;
  std::size_t next_ = 0;
  PackedBlocks* outer_;
};

/// Zeroed bytes, aligned to a cache line, to be filled.
std::shared_ptr<WeightBlock> new_block(std::size_t bytes, std::uint64_t layout, std::byte*& to);

/// An array that does not change. Small ones are not shared.
template <class T> class SharedArray {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  SharedArray() = default;
  /// `fill(T* zeros)` is called unless a block is given for it, so what it reads need not be there
  /// then. `layout` is a hash of what the order of the elements depends on besides the chain and
  /// the instruction set.
  template <class Fill>
  static SharedArray packed(std::size_t count, Fill fill, std::uint64_t layout = 0) {
    SharedArray all;
    if (count == 0) return all;
    const std::size_t bytes = count * sizeof(T);
    all.block_ = PackedBlocks::next(bytes, layout);
    if (all.block_) return all;
    std::byte* to = nullptr;
    std::shared_ptr<WeightBlock> block = new_block(bytes, layout, to);
    fill(reinterpret_cast<T*>(to));
    all.block_ = shared_block(std::move(block));
    PackedBlocks::add(all.block_);
    return all;
  }

  const T* data() const {
    return block_ ? reinterpret_cast<const T*>(block_->bytes.data()) : nullptr;
  }
  std::size_t size() const { return block_ ? block_->bytes.size() / sizeof(T) : 0; }
  bool empty() const { return size() == 0; }
  const T& operator[](std::size_t i) const { return data()[i]; }

 private:
  std::shared_ptr<const WeightBlock> block_{};
};

/// A number that follows from the values of constants: worked out when they are packed, and kept
/// with the packed arrays.
template <class T, class F> T packed_number(F f) {
  return SharedArray<T>::packed(1, [&](T* to) { *to = f(); })[0];
}

}  // namespace webnn::inline v0_1
