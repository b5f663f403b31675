#include "src/kernels/simd/product/pack.h"

#include <algorithm>
#include <cstring>

#include "src/kernels/common/convolution.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {

Values values_of(const MLOperand& constant, int slot) {
  return {slot, [constant] {
            return std::shared_ptr<const float>(std::shared_ptr<void>(),
                                                floats_of(constant).data());
          }};
}

int vector_columns(int columns) { return (columns + lanes() - 1) / lanes(); }
std::size_t padded_columns(int columns) {
  return static_cast<std::size_t>(vector_columns(columns)) * static_cast<std::size_t>(lanes());
}

void pack_columns(const WeightMatrix& m, float* to) {
  const int n = lanes();
  const auto wide = static_cast<std::size_t>(n);
  for (int first = 0; first < m.columns; first += n, to += m.k * wide) {
    const float* from = m.data + static_cast<std::size_t>(first) * m.stride_column;
    const int count = std::min(n, m.columns - first);
    const bool copies = count == n && m.stride_column == 1 && m.scale == 1;
    for (std::size_t k = 0; k < m.k; ++k, from += m.stride_k) {
      float* row = to + k * wide;
      if (copies) {
        std::memcpy(row, from, wide * sizeof(float));
        continue;
      }
      for (int c = 0; c < count; ++c)
        row[c] = from[static_cast<std::size_t>(c) * m.stride_column] * m.scale;
      if (count == n) continue;
      std::fill(row + count, row + n, 0.f);
      if (count <= n / 2) std::copy_n(row, count, row + n / 2);
    }
  }
}

void pack_rows(const WeightMatrix& m, float* to) {
  const float* from = m.data;
  for (int c = 0; c < m.columns; ++c, from += m.stride_column)
    for (std::size_t k = 0; k < m.k; ++k) *to++ = from[k * m.stride_k] * m.scale;
}

void pack_panels(const WeightMatrix& m, const PanelLayout& p, std::size_t b, float* to) {
  to += p.offset(b, 0);
  for (int g = 0; g < p.groups; ++g) {
    const auto wide = static_cast<std::size_t>(p.group_vectors(g) * p.lanes);
    const auto column = static_cast<std::size_t>(p.first_column(g));
    const auto count = std::min(wide, static_cast<std::size_t>(m.columns) - column);
    const float* from = m.data + b * p.block * m.stride_k + column * m.stride_column;
    const bool copies = m.stride_column == 1 && m.scale == 1;
    constexpr std::size_t together = 16;  // terms of a column that share a cache line
    for (std::size_t left = p.block_size(b); left > 0;) {
      const std::size_t rows = std::min(left, together);
      if (copies)
        for (std::size_t k = 0; k < rows; ++k)
          std::copy_n(from + k * m.stride_k, count, to + k * wide);
      else
        for (std::size_t c = 0; c < count; ++c)
          for (std::size_t k = 0; k < rows; ++k)
            to[k * wide + c] = from[k * m.stride_k + c * m.stride_column] * m.scale;
      for (std::size_t k = 0; k < rows; ++k)
        std::fill(to + k * wide + count, to + (k + 1) * wide, 0.f);
      from += rows * m.stride_k, to += rows * wide, left -= rows;
    }
  }
}

void pack_bias(const float* from, int count, float* to, float scale) {
  if (!from) return static_cast<void>(std::fill_n(to, padded_columns(count), 0.f));
  pack_columns({from, 1, count, 0, 1, scale}, to);
}

PackedArray<float> packed_bias(std::vector<WeightBlock>& weights, const Values& from, int count,
                               std::size_t padded, float scale) {
  return add_packed<float>(
      weights, padded,
      from ? layout_text("bias/1", lanes(), count, padded, scale) + from.order : "zeros/1",
      {from.slot}, [=](float* to) {
        if (from) pack_bias(from().get(), count, to, scale);
      });
}

}  // namespace webnn::inline v0_1::simd
