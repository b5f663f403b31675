#include "src/kernels/reference/elementwise.h"
#include "src/kernels/reference/lanes.h"

namespace webnn::inline v0_1::reference {
namespace {

struct Norm {
  std::size_t channels, inner;  // the input is [outer, channels, inner]
  double epsilon;
  int scale, bias;  // their inputs, -1 when absent
  Partition c;

  /// y = (x - mean) * factor + bias
  struct Channel {
    double mean, factor, bias;
  };
  template <class T> Channel channel(const Buffers& b, std::size_t i) const {
    const auto value = [&](int input, double absent) {
      return input < 0 ? absent : wide(b.in<T>(static_cast<std::size_t>(input))[i]);
    };
    return {value(1, 0), value(scale, 1) / std::sqrt(value(2, 0) + epsilon), value(bias, 0)};
  }

  /// Runs of one channel.
  template <class T> void run_rows(Range r, const Buffers& b) const {
    for (std::size_t i = c.begin(r); i < c.end(r);) {
      const std::size_t end = std::min(c.end(r), (i / inner + 1) * inner);
      const Channel ch = channel<T>(b, i / inner % channels);
      store((array<double>(b.in<T>() + i, end - i) - ch.mean) * ch.factor + ch.bias,
            b.out<T>() + i);
      i = end;
    }
  }
  /// One element of each channel, and again.
  template <class T> void run_columns(Range r, const Buffers& b) const {
    constexpr std::size_t lanes = 256;
    const std::size_t begin = c.begin(r), end = c.end(r);
    Fixed<double, lanes> mean, factor, bias;
    for (std::size_t first = 0; first < channels; first += lanes) {
      const std::size_t n = std::min(lanes, channels - first);
      for (std::size_t l = 0; l < n; ++l) {
        const Channel ch = channel<T>(b, first + l);
        mean[Index(l)] = ch.mean, factor[Index(l)] = ch.factor, bias[Index(l)] = ch.bias;
      }
      for (std::size_t row = begin / channels * channels + first; row < end; row += channels) {
        const std::size_t from = std::max(begin, row), to = std::min(end, row + n);
        if (from >= to) continue;
        const auto part = [&](const auto& v) {
          return v.segment(Index(from - row), Index(to - from));
        };
        store((array<double>(b.in<T>() + from, to - from) - part(mean)) * part(factor) + part(bias),
              b.out<T>() + from);
      }
    }
  }
};

}  // namespace

Candidate make(const ops::batchNormalization& op, const Node&) {
  const Lanes lanes(op.input.shape(), op.options.axis);
  const Norm norm{.channels = lanes.size,
                  .inner = lanes.after,
                  .epsilon = coefficient(op.options.epsilon, op.input),
                  .scale = slot<&MLBatchNormalizationOptions::scale>(op),
                  .bias = slot<&MLBatchNormalizationOptions::bias>(op),
                  .c = partition(lanes.count() * lanes.size, 4, 64)};
  return dispatch_type<types::floats>(op.input.dataType(), [&]<class T>() {
    return Candidate{.name = "eigen array",
                     .tiles = norm.c.tiles(),
                     .in_place = {0},
                     .run = [norm](Range r, const Buffers& b, std::byte*) {
                       if (norm.inner == 1) norm.run_columns<T>(r, b);
                       else norm.run_rows<T>(r, b);
                     }};
  });
}

}  // namespace webnn::inline v0_1::reference
