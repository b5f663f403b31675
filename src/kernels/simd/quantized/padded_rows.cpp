#include "src/kernels/simd/quantized/padded_rows.h"

#include <algorithm>
#include <cstring>

#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/cost.h"

namespace webnn::inline v0_1::simd {
namespace {

/// `count` pixels of Bytes bytes each, `step` apart, one after the other.
template <std::size_t Bytes>
void copy_blocks(const std::uint8_t* from, std::size_t step, std::size_t count, std::size_t blocks,
                 std::uint8_t* to) {
  for (std::size_t i = 0; i < count; ++i, from += step)
    for (std::size_t k = 0; k < blocks; ++k, to += Bytes) std::memcpy(to, from + k * Bytes, Bytes);
}
void copy_pixels(const std::uint8_t* from, std::size_t step, std::size_t count, std::size_t bytes,
                 std::uint8_t* to) {
  if (step == bytes) {
    std::memcpy(to, from, count * bytes);
    return;
  }
  if (bytes % 64 == 0) return copy_blocks<64>(from, step, count, bytes / 64, to);
  if (bytes % 32 == 0) return copy_blocks<32>(from, step, count, bytes / 32, to);
  if (bytes % 16 == 0) return copy_blocks<16>(from, step, count, bytes / 16, to);
  if (bytes % 8 == 0) return copy_blocks<8>(from, step, count, bytes / 8, to);
  for (std::size_t i = 0; i < count; ++i, from += step, to += bytes) std::memcpy(to, from, bytes);
}

}  // namespace

PaddedRows::PaddedRows(const Convolution& shape, int phases)
    : s_(shape),
      phases_(to_size(phases)),
      channels_(to_size(shape.channels)),
      columns_(to_size(shape.out_width - 1) * to_size(shape.stride_x) +
               to_size(shape.kernel_width - 1) * to_size(shape.dilation_x) + 1),
      phase_columns_((columns_ + phases_ - 1) / phases_),
      row_bytes_((phases_ * phase_columns_ * channels_ + 63) / 64 * 64) {}

bool PaddedRows::affordable(const Convolution& s) {
  // A column more for each phase but one, and the end of a row.
  const double columns = static_cast<double>(s.out_width) * s.stride_x +
                         static_cast<double>(s.kernel_width) * s.dilation_x;
  const double rows =
      static_cast<double>(s.stride_y) + static_cast<double>(s.kernel_height) * s.dilation_y;
  return (columns * s.channels + 64) * rows < static_cast<double>(max_scratch);
}

std::size_t PaddedRows::rows_for(int rows) const {
  return to_size(rows - 1) * to_size(s_.stride_y) +
         to_size(s_.kernel_height - 1) * to_size(s_.dilation_y) + 1;
}

int PaddedRows::rows_at_once() const {
  constexpr std::size_t l1 = 56 << 10;
  int rows = 1;
  while (rows < 16 && bytes(2 * rows) <= l1) rows *= 2;
  return std::min(s_.out_height, std::max(rows, 2));
}

std::size_t PaddedRows::column(int kx) const {
  const std::size_t at = to_size(kx) * to_size(s_.dilation_x);
  return (at % phases_ * phase_columns_ + at / phases_) * channels_;
}

void PaddedRows::copy_row(const std::uint8_t* from, std::uint8_t zero, std::uint8_t* to) const {
  const std::size_t left = std::min(to_size(s_.pad_left), columns_), width = to_size(s_.width);
  const std::size_t inside = std::min(width, columns_ - left), end = left + inside;
  std::uint8_t* at = to;
  const auto pad = [&](std::size_t bytes) {
    std::memset(at, zero, bytes);
    at += bytes;
  };
  // Columns phase, phase + phases, ... of the padded row follow one another.
  const auto before = [&](std::size_t column, std::size_t phase) {
    return column <= phase ? 0 : (column - phase + phases_ - 1) / phases_;
  };
  for (std::size_t phase = 0; phase < phases_; ++phase) {
    const std::size_t first = std::min(before(left, phase), phase_columns_);
    const std::size_t last = std::min(before(end, phase), phase_columns_);
    pad(first * channels_);
    if (first < last) {
      copy_pixels(from + (phase + first * phases_ - left) * channels_, phases_ * channels_,
                  last - first, channels_, at);
      at += (last - first) * channels_;
    }
    pad((phase_columns_ - std::max(first, last)) * channels_);
  }
  pad(to_size(to + row_bytes_ - at));
}

void PaddedRows::copy(const std::uint8_t* image, int first, int rows, std::uint8_t zero,
                      std::uint8_t* to) const {
  const std::int64_t begin = std::int64_t{first} * s_.stride_y - s_.pad_top;
  const std::size_t row = to_size(s_.width) * channels_;
  for (std::size_t i = 0; i < rows_for(rows); ++i, to += row_bytes_) {
    const std::int64_t at = begin + static_cast<std::int64_t>(i);
    if (at < 0 || at >= s_.height) std::memset(to, zero, row_bytes_);
    else copy_row(image + static_cast<std::size_t>(at) * row, zero, to);
  }
}

}  // namespace webnn::inline v0_1::simd
