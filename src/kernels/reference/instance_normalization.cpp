#include <cmath>

#include "src/kernels/reference/lanes.h"
#include "src/kernels/reference/move.h"
#include "src/kernels/reference/wide.h"

namespace webnn::reference {
namespace {

struct Settings {
  std::size_t channels;
  double epsilon;
  int scale, bias;  // where they are among the inputs
};

/// The sums over lanes of f(lane, element); one lane alone is contiguous.
template <class T, class F>
void sum_lanes(const Lanes& lanes, const T* x, std::size_t n, double* sums, F f) {
  if (lanes.after == 1) {
    sums[0] = partial_sums(lanes.size, [&](std::size_t j) { return f(0, wide(x[j])); });
    return;
  }
  std::fill_n(sums, n, 0.0);
  for (std::size_t j = 0; j < lanes.size; ++j)
    for (std::size_t i = 0; i < n; ++i) sums[i] += f(i, wide(x[j * lanes.after + i]));
}

template <class T> Run normalize(const Lanes& lanes, const Settings& s, const Partition& c) {
  return [=](Range r, const Buffers& b, std::byte*) {
    const T* scale = s.scale < 0 ? nullptr : b.in<T>(static_cast<std::size_t>(s.scale));
    const T* bias = s.bias < 0 ? nullptr : b.in<T>(static_cast<std::size_t>(s.bias));
    const auto count = static_cast<double>(lanes.size);
    lanes.run(c.begin(r), c.end(r), [&](std::size_t first, std::size_t lane, std::size_t n) {
      const T* x = b.in<T>() + first;
      T* y = b.out<T>() + first;
      double mean[Lanes::most], factor[Lanes::most], shift[Lanes::most];
      sum_lanes(lanes, x, n, mean, [](std::size_t, double v) { return v; });
      for (std::size_t i = 0; i < n; ++i) mean[i] /= count;
      sum_lanes(lanes, x, n, factor,
                [&](std::size_t i, double v) { return (v - mean[i]) * (v - mean[i]); });
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t channel = (lane + i) % s.channels;
        const double deviation = std::sqrt(factor[i] / count + s.epsilon);
        factor[i] = (scale ? wide(scale[channel]) : 1) / deviation;
        shift[i] = bias ? wide(bias[channel]) : 0;
      }
      for (std::size_t j = 0; j < lanes.size; ++j)
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t at = j * lanes.after + i;
          const double v = (wide(x[at]) - mean[i]) * factor[i] + shift[i];
          y[at] = narrow<T>(v);
        }
    });
  };
}

Kernel make(const ops::instanceNormalization& op, const Node&) {
  const auto& o = op.options;
  const Dims& d = op.input.shape();
  // The pixels as one axis, before or after the channels; either way lanes are counted by image,
  // then by channel.
  const bool nhwc = o.layout == MLInputOperandLayout::nhwc;
  const Lanes lanes = nhwc ? Lanes(d[0], std::size_t{d[1]} * d[2], d[3])
                           : Lanes(std::size_t{d[0]} * d[1], std::size_t{d[2]} * d[3], 1);
  const Settings s{nhwc ? d[3] : d[1], MLNumber(o.epsilon).to(op.input.dataType()).as_double(),
                   slot<&MLInstanceNormalizationOptions::scale>(op),
                   slot<&MLInstanceNormalizationOptions::bias>(op)};
  const Partition c =
      partition(lanes.count(), 6.0 * static_cast<double>(lanes.size), nhwc ? 16 : 1);
  return {.name = "loop",
          .tiles = c.tiles(),
          .in_place = {0},
          .run = dispatch_type<types::floats>(
              op.input.dataType(), [&]<class T>() { return normalize<T>(lanes, s, c); })};
}

}  // namespace

Table<ops::InstanceNormalizationSection> kernels(ops::InstanceNormalizationSection) {
  return table<ops::InstanceNormalizationSection>(
      [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
