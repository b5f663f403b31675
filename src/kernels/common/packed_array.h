// Arrays of packed weights: blocks that a kernel wants while it is lowered, and finds in its
// buffers when it runs.
#pragma once

#include <bit>
#include <concepts>
#include <string>
#include <type_traits>

#include "src/kernels/common/chain_operands.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// The name and the revision of a layout, and the numbers that the order of its elements depends
/// on: "panels/1 512 768". The revision is raised when the same numbers stand for another order.
template <class... N> std::string layout_text(std::string name, N... numbers) {
  const auto append = [&](auto n) {
    if constexpr (std::floating_point<decltype(n)>)
      name += ' ' + std::to_string(std::bit_cast<std::uint32_t>(n));
    else name += ' ' + std::to_string(n);
  };
  (append(numbers), ...);
  return name;
}

/// An array among the blocks of a kernel.
template <class T> class PackedArray {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  PackedArray() = default;
  PackedArray(std::size_t block, std::size_t count) : block_(block), count_(count) {}

  const T* in(const Buffers& b) const { return count_ ? b.packed<T>(block_) : nullptr; }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

 private:
  std::size_t block_ = 0, count_ = 0;
};

/// Adds a block, which fill(zeros), or fill(zeros, part) for each part, makes.
template <class T, class Fill>
PackedArray<T> add_packed(std::vector<WeightBlock>& weights, WeightBlock block, Fill fill) {
  block.fill = [fill = std::move(fill)](std::byte* to, [[maybe_unused]] int part) {
    T* const elements = reinterpret_cast<T*>(to);
    if constexpr (std::invocable<const Fill&, T*, std::size_t>)
      fill(elements, static_cast<std::size_t>(part));
    else fill(elements);
  };
  weights.push_back(std::move(block));
  return {weights.size() - 1, weights.back().bytes / sizeof(T)};
}

/// The same for `count` elements of these inputs of the chain, of which those below zero mean
/// nothing. No block for no elements.
template <class T, class Fill>
PackedArray<T> add_packed(std::vector<WeightBlock>& weights, std::size_t count, std::string layout,
                          std::initializer_list<int> inputs, Fill fill, std::size_t parts = 1) {
  if (count == 0) return {};
  WeightBlock block{
      .bytes = count * sizeof(T), .layout = std::move(layout), .parts = static_cast<int>(parts)};
  for (const int i : inputs)
    if (i >= 0) block.inputs.push_back(i);
  return add_packed<T>(weights, std::move(block), std::move(fill));
}

}  // namespace webnn::inline v0_1
