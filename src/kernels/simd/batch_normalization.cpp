#include <cmath>

#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/vector/float32/rows.h"

namespace webnn::simd {
namespace {

/// The input is [outer, channels, inner].
struct BatchNormalization {
  std::size_t channels, inner = 1;
  double epsilon;
  int scale, bias;  // their inputs, -1 when absent
  Partition c{};    // of rows: `inner` elements of one channel, or one element of each

  double value(const Buffers& b, int input, std::size_t channel, double absent) const {
    return input < 0 ? absent : double{b.in<float>(static_cast<std::size_t>(input))[channel]};
  }
  double mean(const Buffers& b, std::size_t i) const { return value(b, 1, i, 0); }
  double factor(const Buffers& b, std::size_t i) const {
    return value(b, scale, i, 1) / std::sqrt(value(b, 2, i, 0) + epsilon);
  }

  void run_channels(Range r, const Buffers& b) const {
    for (std::size_t row = c.begin(r); row < c.end(r); ++row) {
      const std::size_t i = row % channels;
      const double m = mean(b, i), f = factor(b, i), shift = value(b, bias, i, 0);
      normalize_all(b.in<float>() + row * inner, inner, {&m, &f, &shift},
                    b.out<float>() + row * inner);
    }
  }
  void run_pixels(Range r, const Buffers& b, double* scratch) const {
    double *means = scratch, *factors = means + channels, *biases = factors + channels;
    for (std::size_t i = 0; i < channels; ++i) {
      means[i] = mean(b, i);
      factors[i] = factor(b, i);
      biases[i] = value(b, bias, i, 0);
    }
    for (std::size_t row = c.begin(r); row < c.end(r); ++row)
      normalize_each(b.in<float>() + row * channels, channels, {means, factors, biases},
                     b.out<float>() + row * channels);
  }
};

}  // namespace

Lowering lower(const ops::batchNormalization& op, Chain chain) {
  if (chain.size() > 1) return Refusal{"nothing is fused to a normalization"};
  const Dims& shape = op.input.shape();
  BatchNormalization n{.channels = shape[op.options.axis],
                       .epsilon = MLNumber(op.options.epsilon).to(float32).as_double(),
                       .scale = slot<&MLBatchNormalizationOptions::scale>(op),
                       .bias = slot<&MLBatchNormalizationOptions::bias>(op)};
  for (std::size_t d = op.options.axis + 1; d < shape.size(); ++d) n.inner *= shape[d];
  const bool pixels = n.inner == 1;
  const std::size_t row = pixels ? n.channels : n.inner;
  const std::size_t scratch = pixels ? 3 * n.channels * sizeof(double) : 0;
  if (scratch > max_scratch) return Refusal{"needs too much scratch"};
  n.c = partition(element_count(shape) / row, static_cast<double>(row) + 8);
  return Kernel{.name = pixels ? "batch normalization nhwc" : "batch normalization nchw",
                .tiles = n.c.tiles(),
                .scratch = scratch,
                .in_place = {0},
                .run = [n, pixels](Range r, const Buffers& b, std::byte* scratch) {
                  if (pixels) n.run_pixels(r, b, reinterpret_cast<double*>(scratch));
                  else n.run_channels(r, b);
                }};
}

}  // namespace webnn::simd
