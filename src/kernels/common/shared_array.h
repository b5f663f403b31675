// Packed weights that are held once, however many kernels, graphs, contexts and threads have made
// the same ones.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace webnn {

/// Bytes that do not change.
struct WeightBlock {
  std::span<const std::byte> bytes{};
  std::uint64_t hash = 0;
  mutable std::atomic<int> graphs{0};  ///< that hold it: for MLGraph::memory()

  WeightBlock() = default;
  WeightBlock(const WeightBlock&) = delete;
  virtual ~WeightBlock();
};

/// The block that lives with the same bytes, else this one, which others will then find.
std::shared_ptr<const WeightBlock> shared_block(std::shared_ptr<WeightBlock> block);

/// An array that does not change, made from a container of T whose elements stay where they are
/// when it is moved. Small ones are not shared.
template <class T> class SharedArray {
 public:
  SharedArray() = default;
  template <class Container>
  requires(!std::is_same_v<std::remove_cvref_t<Container>, SharedArray>)
      SharedArray(Container&& values) {
    struct Block final : WeightBlock {
      std::remove_cvref_t<Container> values;
      explicit Block(Container&& v) : values(std::move(v)) {
        bytes = std::as_bytes(std::span(values.data(), values.size()));
      }
    };
    static_assert(!std::is_reference_v<Container>, "moved from");
    block_ = shared_block(std::make_shared<Block>(std::move(values)));
  }

  const T* data() const {
    return block_ ? reinterpret_cast<const T*>(block_->bytes.data()) : nullptr;
  }
  std::size_t size() const { return block_ ? block_->bytes.size() / sizeof(T) : 0; }
  bool empty() const { return size() == 0; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  const std::shared_ptr<const WeightBlock>& block() const { return block_; }

 private:
  std::shared_ptr<const WeightBlock> block_{};
};

}  // namespace webnn
