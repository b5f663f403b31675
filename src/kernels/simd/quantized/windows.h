// Windows of int8 images, for pooling and means.
#pragma once

#include "src/kernels/common/partition.h"
#include "src/kernels/common/pooling.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/vector/int8/rows.h"

namespace webnn::inline v0_1::simd {

/// Items are pixels of the result.
struct Int8Windows {
  PoolingSide down, across;
  std::size_t channels, x_image, y_image;  // bytes
  Partition c{};

  /// f(window, its first byte, the pixel of the result) for a range of pixels.
  template <class F> void run(Range r, const std::uint8_t* x, std::uint8_t* y, F f) const {
    const auto width = static_cast<std::size_t>(across.out);
    const auto height = static_cast<std::size_t>(down.out);
    const std::size_t row = static_cast<std::size_t>(across.in) * channels;
    for (std::size_t i = c.begin(r); i < c.end(r); ++i) {
      const auto v = down.inside(static_cast<std::int64_t>(i / width % height));
      const auto h = across.inside(static_cast<std::int64_t>(i % width));
      const Int8Window window{v.count, v.step * row, h.count, h.step * channels};
      f(window, x + i / width / height * x_image + v.first * row + h.first * channels,
        y + i * channels);
    }
  }
};

inline Int8Windows int8_windows(PoolingSide down, PoolingSide across, std::size_t channels,
                                std::size_t images) {
  Int8Windows w{.down = down,
                .across = across,
                .channels = channels,
                .x_image = to_size(down.in) * to_size(across.in) * channels,
                .y_image = to_size(down.out) * to_size(across.out) * channels};
  const double window = static_cast<double>(std::min(down.window, down.in)) *
                        static_cast<double>(std::min(across.window, across.in));
  w.c = partition(images * to_size(down.out) * to_size(across.out),
                  (window + 4) * (static_cast<double>(channels) / 8 + 1));
  return w;
}

}  // namespace webnn::inline v0_1::simd
