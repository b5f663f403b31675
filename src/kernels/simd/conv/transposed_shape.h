// The sizes of a transposed convolution, and its filter as matrices. Elements of the result that
// are whole strides apart read the same elements of the filter, so each of these phases is a
// convolution with stride 1.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "src/kernels/common/sizes.h"
#include "webnn/ops/sections.h"

namespace webnn::inline v0_1::simd {

/// One direction, down or across. Element k of the filter puts input i into the result o where
/// o + padding = i * stride + k. With o + padding = q * stride + phase, the elements phase, phase +
/// stride, ... of the filter put the inputs q, q - 1, ... there.
struct TransposedSide {
  int in, out, kernel, stride, padding;

  int taps(int phase) const { return kernel > phase ? (kernel - 1 - phase) / stride + 1 : 0; }
  int max_taps() const { return taps(0); }
  /// The quotients q of all results.
  int first() const { return padding / stride; }
  int count() const { return (out - 1 + padding) / stride + 1 - first(); }
  /// Those whose result of this phase exists.
  int begin(int phase) const { return first() + (first() * stride + phase < padding); }
  int end(int phase) const {
    const int last = out - 1 + padding - phase;
    return last < 0 ? begin(phase) : std::max(begin(phase), last / stride + 1);
  }
  /// Whether all phases have as many taps and the same quotients.
  bool even() const {
    return kernel % stride == 0 && padding % stride == 0 && out == count() * stride;
  }
  /// Whether each result reads at most one input, which exists.
  bool inside() const { return max_taps() == 1 && first() + count() <= in; }
};

struct TransposedShape {
  TransposedSide down, across;
  int batch, inputs, outputs;

  std::size_t in_row() const { return to_size(across.in) * to_size(inputs); }
  std::size_t out_row() const { return to_size(across.out) * to_size(outputs); }
};
/// f(down, across) for the phases that have results, with `count` phases across at a time.
template <class F> void for_phases(const TransposedShape& t, int count, F f) {
  for (int down = 0; down < t.down.stride; ++down)
    for (int across = 0; across < t.across.stride; across += count)
      if (t.down.begin(down) != t.down.end(down) && t.across.begin(across) != t.across.end(across))
        f(down, across);
}
/// Nothing when a size is above 2^24.
std::optional<TransposedShape> transposed_shape(const ops::convTranspose2d& op, const Dims& out);

/// How far apart the elements of a filter are, whatever its layout.
struct TransposedFilter {
  std::size_t input, output, row, column;
};
TransposedFilter filter_strides(const ops::convTranspose2d& op);

/// The weights of a phase down and `count` phases across, whose outputs are columns one after the
/// other. Rows are in the order in which the inputs lie: taps from the last to the first.
std::vector<float> phase_matrix(const TransposedShape&, const ops::convTranspose2d& op, int down,
                                int across, int count);
/// For WeightBlock::layout: the name of a layout, and what such a matrix depends on.
std::string phase_text(std::string name, const TransposedShape&, const ops::convTranspose2d& op,
                       int down, int across, int count);

}  // namespace webnn::inline v0_1::simd
