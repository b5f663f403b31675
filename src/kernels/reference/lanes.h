// A tensor as lanes along one axis.
#pragma once

#include <algorithm>
#include <cstddef>

#include "webnn/data_type.h"

namespace webnn::inline v0_1::reference {

/// A lane holds the elements that differ in their place on one axis only. Lanes are counted in
/// row-major order without the axis.
struct Lanes {
  static constexpr std::size_t max_lanes = 64;  ///< lanes in one piece

  std::size_t before = 1, size = 1, after = 1;  ///< products of sizes before, of and after the axis

  Lanes(std::size_t b, std::size_t s, std::size_t a) : before(b), size(s), after(a) {}
  Lanes(const Dims& shape, std::size_t axis) {
    for (std::size_t d = 0; d < axis; ++d) before *= shape[d];
    size = shape[axis];
    for (std::size_t d = axis + 1; d < shape.size(); ++d) after *= shape[d];
  }
  std::size_t count() const { return before * after; }

  /// f(first, lane, n) for the lanes [begin, end) in pieces of up to `max_lanes` neighbors: element
  /// j of lane `lane + i` is at `first + j * after + i`.
  template <class F> void run(std::size_t begin, std::size_t end, F&& f) const {
    while (begin < end) {
      const std::size_t at = begin % after;
      const std::size_t n = std::min({end - begin, after - at, max_lanes});
      f(begin / after * size * after + at, begin, n);
      begin += n;
    }
  }
};

}  // namespace webnn::inline v0_1::reference
