// The memory of a tensor that grows along one dimension: the state of a graph.
#pragma once

#include <cstddef>
#include <cstdint>

#include "webnn/operand.h"

namespace webnn::inline v0_1 {

/// How the elements lie: `outer` blocks, each with room for `capacity` rows, which are the indices
/// of the dimension `axis`.
struct Growth {
  std::size_t axis = 0;
  std::uint32_t capacity = 0;
  std::size_t outer = 1, row = 1;  ///< blocks, and the bytes of a row in one of them
  std::uint32_t intact = 0;  ///< rows that are right although a run has failed; on the timeline

  /// `shape` has any size along the axis.
  Growth(const MLOperandDescriptor& d, std::size_t along, std::uint32_t bound);

  std::size_t bytes() const { return outer * capacity * row; }
  /// Whether any number of rows is contiguous.
  bool is_contiguous() const { return outer == 1; }
  /// The first rows, one block after the other.
  void gather(const std::byte* memory, std::uint32_t rows, std::byte* to) const;
  /// Writes the first rows, which are contiguous.
  void scatter(const std::byte* from, std::uint32_t rows, std::byte* memory) const;
  /// Sets the rows [begin, end) to zero.
  void clear(std::byte* memory, std::uint32_t begin, std::uint32_t end) const;
};

}  // namespace webnn::inline v0_1
