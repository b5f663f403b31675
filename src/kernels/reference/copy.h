// Kernels that move elements without looking at them: only the width of the data type counts.
#pragma once

#include <cstring>
#include <stdexcept>

#include "src/kernels/common/loop.h"
#include "src/kernels/reference/kernels.h"

namespace webnn::inline v0_1::reference {

/// Calls f<T>() with an unsigned integer as wide as the data type.
template <class F> auto dispatch_width(MLOperandDataType type, F&& f) {
  switch (bits_of(type)) {
    case 8: return f.template operator()<std::uint8_t>();
    case 16: return f.template operator()<std::uint16_t>();
    case 32: return f.template operator()<std::uint32_t>();
    case 64: return f.template operator()<std::uint64_t>();
  }
  throw std::invalid_argument("elements of less than a byte");
}

inline std::size_t width_of(MLOperandDataType type) {
  return dispatch_width(type, []<class T>() { return sizeof(T); });
}

/// Nothing when both are the same memory.
template <class T> void move_elements(T* to, const T* from, std::size_t count) {
  if (to != from) std::memcpy(to, from, count * sizeof(T));
}

/// Tiles of bytes that are only moved.
inline Partition partition_bytes(std::size_t bytes) { return partition(bytes, 0.5, 64); }

/// The first result has the elements of the first input in the same order.
Candidate plain_copy(const MLOperand& y);

/// y[p] = x[first + the sum of p[d] * strides[d]].
Candidate strided_copy(const MLOperand& y, const std::array<std::ptrdiff_t, max_rank>& strides,
                       std::ptrdiff_t first = 0);

/// By a loop that may have two dimensions for each one of y.
constexpr std::size_t copy_rank = 2 * max_rank;
using CopyStrides = std::array<std::ptrdiff_t, copy_rank>;
using CopyLoop = Loop<1, copy_rank>;
Candidate strided_copy(const MLOperand& y, const CopyLoop& loop, std::ptrdiff_t first = 0);

/// Tensors joined along one dimension: each row of the whole is a row of the first, one of the
/// second, and so on. All in bytes.
struct Joined {
  std::size_t rows = 1;
  std::vector<std::size_t> starts{};  // where each part begins in a row; then the length of the row

  Joined(const Dims& whole, MLOperandDataType type, std::uint32_t axis,
         std::span<const std::uint32_t> sizes);
  std::size_t bytes() const { return rows * starts.back(); }
  /// f(part, offset in the part, offset in the whole, count) for the bytes [begin, end) of the
  /// whole.
  template <class F> void run(std::size_t begin, std::size_t end, F&& f) const {
    if (begin >= end) return;
    const std::size_t length = starts.back();
    std::size_t row = begin / length, at = begin % length;
    auto part = static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), at) -
                                         starts.begin() - 1);
    for (std::size_t i = begin; i < end;) {
      const std::size_t size = starts[part + 1] - starts[part], in = at - starts[part];
      const std::size_t count = std::min(size - in, end - i);
      f(part, row * size + in, i, count);
      i += count;
      at += count;
      if (++part + 1 < starts.size()) continue;
      part = at = 0;
      ++row;
    }
  }
};

}  // namespace webnn::inline v0_1::reference
