#include "src/kernels/simd/conv/windows.h"

#include <algorithm>

#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::simd {
namespace {

struct Windows {
  Convolution shape;
  std::size_t part;  // channels
};

void copy_windows(const PanelRows& in, std::size_t first, std::size_t rows, std::size_t k,
                  std::size_t count, float* to, std::size_t pitch) {
  const auto& [s, part] = *static_cast<const Windows*>(in.context);
  const std::size_t taps = to_size(s.kernel_height) * to_size(s.kernel_width);
  const std::size_t channels = to_size(s.channels),
                    image = to_size(s.height) * to_size(s.width) * channels;
  for (const std::size_t end = k + count; k < end;) {
    const std::size_t tap = k / part % taps, at = k % part, n = std::min(end - k, part - at);
    const std::size_t c = k / (part * taps) * part + at;
    const int ky = static_cast<int>(tap / to_size(s.kernel_width)) * s.dilation_y - s.pad_top;
    const int kx = static_cast<int>(tap % to_size(s.kernel_width)) * s.dilation_x - s.pad_left;
    int ox = static_cast<int>(first % to_size(s.out_width));
    int oy = static_cast<int>(first / to_size(s.out_width) % to_size(s.out_height));
    const float* x = in.x + first / (to_size(s.out_width) * to_size(s.out_height)) * image + c;
    for (std::size_t r = 0; r < rows; ++r) {
      const int iy = oy * s.stride_y + ky, ix = ox * s.stride_x + kx;
      float* row = to + r * pitch;
      if (iy < 0 || iy >= s.height || ix < 0 || ix >= s.width) std::fill_n(row, n, 0.f);
      else std::copy_n(x + (to_size(iy) * to_size(s.width) + to_size(ix)) * channels, n, row);
      if (++ox < s.out_width) continue;
      ox = 0;
      if (++oy < s.out_height) continue;
      oy = 0;
      x += image;
    }
    to += n;
    k += n;
  }
}

}  // namespace

GatheredRows gathered_windows(const Convolution& shape, std::size_t channels_of_part) {
  return {&copy_windows, std::make_shared<const Windows>(Windows{shape, channels_of_part})};
}

}  // namespace webnn::inline v0_1::simd
