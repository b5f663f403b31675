// Work on the images of a batch.
#pragma once

#include <algorithm>
#include <cstddef>

namespace webnn::inline v0_1::simd {

/// f(image, first, last) for the items [begin, end) of `each` items an image.
template <class F> void for_images(std::size_t begin, std::size_t end, std::size_t each, F f) {
  while (begin < end) {
    const std::size_t i = begin / each, last = std::min(end, (i + 1) * each);
    f(i, static_cast<int>(begin - i * each), static_cast<int>(last - i * each));
    begin = last;
  }
}

}  // namespace webnn::inline v0_1::simd
