#include "src/kernels/simd/conv/choice.h"

#include <cstdint>

namespace webnn::inline v0_1::simd {
namespace {

/// The part of the filter's elements that lie on the image and not on the padding, over all
/// windows.
double part_inside(const Convolution& s) {
  const auto along = [](int outs, int stride, int kernel, int dilation, int pad, int size) {
    double inside = 0;
    for (int k = 0; k < kernel; ++k) {
      const std::int64_t at = std::int64_t{k} * dilation - pad;  // + i * stride is in [0, size)
      const auto first = at >= 0 ? 0 : (-at + stride - 1) / stride;
      const auto end = at >= size ? 0 : (size - 1 - at) / stride + 1;
      inside +=
          static_cast<double>(std::max<std::int64_t>(0, std::min<std::int64_t>(end, outs) - first));
    }
    return inside / (static_cast<double>(outs) * kernel);
  };
  return along(s.out_height, s.stride_y, s.kernel_height, s.dilation_y, s.pad_top, s.height) *
         along(s.out_width, s.stride_x, s.kernel_width, s.dilation_x, s.pad_left, s.width);
}

}  // namespace

const char* slower_because(const Convolution& s) {
  constexpr double call = 1 << 15;  // multiplications
  constexpr double margin = 0.02;   // what else differs
  constexpr int few_inputs = 16;
  constexpr std::size_t few_pixels = 32;  // for which reading the weights takes the time
  if (s.group_inputs() < few_inputs || s.pixels() <= few_pixels) return "";
  const double left_out = s.macs() * (1 - part_inside(s));
  return left_out > call + margin * s.macs() ? "likely slower: it multiplies the padding, too" : "";
}

}  // namespace webnn::inline v0_1::simd
