// The rows of an input that are read for some rows of the output.
#pragma once

#include <algorithm>

namespace webnn::inline v0_1 {

/// Rows [begin, end) of the input, and the numbers of padding rows before and after them.
struct Halo {
  int begin, end, before, after;

  int size() const { return end - begin; }
};

/// For the outputs [first, last). `kernel_size`: the effective (dilated) size of a window. Every
/// window must overlap the input: the padding is below `kernel_size`.
inline Halo halo(int first, int last, int stride, int kernel_size, int padding, int size) {
  const int from = first * stride - padding, to = (last - 1) * stride - padding + kernel_size;
  const int begin = std::clamp(from, 0, size - 1), end = std::clamp(to, begin + 1, size);
  return {begin, end, begin - from, to - end};
}

/// For all outputs, with the rows that no window reads: for images that must stay whole.
inline Halo whole_halo(int outputs, int stride, int kernel_size, int padding, int size) {
  return {0, size, padding, std::max(0, (outputs - 1) * stride - padding + kernel_size - size)};
}

}  // namespace webnn::inline v0_1
