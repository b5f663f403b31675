#include "src/kernels/simd/conv/choice.h"

#include <algorithm>
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

const char* slower_because(const Convolution& s, bool gathers, std::size_t pixel_stride) {
  constexpr double call = 1 << 15;                    // multiplications
  constexpr double margin = 0.02;                     // what else differs
  constexpr double gathered = 0.1;                    // what gathering costs
  constexpr double much_memory = 1 << 24;             // bytes
  constexpr std::size_t few_pixels = 32, set = 4096;  // bytes after which lines evict each other
  constexpr int few_inputs = 16;
  const double macs = s.macs();
  if (gathers && macs * gathered > call) return "likely slower: it gathers dilated windows";
  if (s.group_inputs() < few_inputs) return "";
  if (pixel_stride * sizeof(float) % set == 0)
    return "likely slower: pixels evict each other from the first cache";
  const double weights = 4.0 * s.kernel_height * s.kernel_width * s.channels * s.group_outputs();
  if (s.pixels() <= few_pixels && weights > much_memory) return "";
  return macs * (1 - part_inside(s)) > call + margin * macs
             ? "likely slower: it multiplies the padding, too"
             : "";
}

}  // namespace webnn::inline v0_1::simd
