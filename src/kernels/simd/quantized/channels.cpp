// int8 functions that differ from channel to channel: batchNormalization, and prelu with a slope
// for each of them.
#include <cmath>
#include <numeric>

#include "src/kernels/common/convolution.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/vector/int8/channels.h"

namespace webnn::inline v0_1::simd {
namespace {

/// A tensor as [outer, channels, inner], and what a kernel has for each channel. Items are rows of
/// `inner` elements, or where that is 1, elements.
struct Channels {
  std::size_t channels, inner;
  std::size_t period = 1;  // of elements, for the kernel
  Int8Distances distances;
  std::size_t slot;
  Int8Result result;
  Partition c{};

  Channels(const Dims& shape, std::size_t dimension, const QuantizedChain& chain)
      : channels(shape[dimension]),
        inner(element_count(
            Dims(shape.begin() + static_cast<std::ptrdiff_t>(dimension) + 1, shape.end()))),
        distances{chain.operands[0].q.flip(), chain.operands[0].q.shifted_zero()},
        slot(to_size(chain.operands[0].slot)),
        result(int8_result(chain)) {
    const std::size_t count = element_count(shape);
    if (inner == 1) {
      period = channels / std::gcd(channels, int8_channel_step) * int8_channel_step;
      c = partition(count, 0.25, period);
    } else {
      c = partition(count / inner, 0.25 * static_cast<double>(inner));
    }
  }
  /// As the kernel reads them.
  std::vector<float> repeated(std::vector<float> of_channels) const {
    if (inner > 1) return of_channels;
    std::vector<float> all(period);
    for (std::size_t i = 0; i < period; ++i) all[i] = of_channels[i % channels];
    return all;
  }
  /// f(the first of the arrays' channels, x, n, y) for each part.
  template <class F> void run(Range r, const Buffers& b, F f) const {
    const std::uint8_t* const x = b.in<std::uint8_t>(slot);
    std::uint8_t* const y = b.out<std::uint8_t>();
    const std::size_t begin = c.begin(r), end = c.end(r);
    if (inner == 1) return f(0, x + begin, end - begin, y + begin);
    for (std::size_t i = begin; i < end; ++i) f(i % channels, x + i * inner, inner, y + i * inner);
  }
};

template <class F> Candidate kernel(Channels channels, std::string name, F f) {
  const auto w = std::make_shared<const Channels>(std::move(channels));
  return Candidate{.name = std::move(name),
                   .tiles = w->c.tiles(),
                   .in_place = {static_cast<int>(w->slot)},
                   .run = [w, f = std::move(f)](Range r, const Buffers& b, std::byte*) {
                     w->run(r, b,
                            [&](std::size_t first, const std::uint8_t* x, std::size_t n,
                                std::uint8_t* y) { f(*w, first, x, n, y); });
                   }};
}

const char* unfit(const QuantizedChain& c) {
  const QuantizedOperand& x = c.operands[0];
  if (c.requantization == Requantization::fixedPoint) return "quantized: only with one rounding";
  if (!x.x || x.constant() || !x.q.is_activation()) return "quantized: not of 8 bits";
  return nullptr;
}

/// The dimension along which alone a tensor that is broadcast to `shape` differs.
std::optional<std::size_t> only_dimension(const Dims& broadcast, const Dims& shape) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < broadcast.size(); ++i) {
    if (broadcast[i] == 1) continue;
    if (found) return std::nullopt;
    found = shape.size() - broadcast.size() + i;
  }
  return found;
}

}  // namespace

Lowering lower_quantized(const ops::batchNormalization& op, const QuantizedChain& c,
                         Int8DotProduct) {
  const auto& o = op.options;
  if (const char* reason = unfit(c)) return Refusal{reason};
  for (const MLOperand* x :
       {&op.mean, &op.variance, o.scale ? &*o.scale : nullptr, o.bias ? &*o.bias : nullptr})
    if (x && !x->constant()) return Refusal{"quantized: a parameter is not constant"};
  const Channels channels(op.input.shape(), o.axis, c);
  const auto mean = floats_of(op.mean), variance = floats_of(op.variance);
  const double unit = c.result.scale[0], x_scale = c.operands[0].q.scale[0];
  std::vector<float> factors, summands;
  for (std::size_t i = 0; i < channels.channels; ++i) {
    const double scale = o.scale ? floats_of(*o.scale)[i] : 1,
                 bias = o.bias ? floats_of(*o.bias)[i] : 0;
    const double factor = scale / std::sqrt(double{variance[i]} + o.epsilon);
    const double summand = (bias - double{mean[i]} * factor) / unit;
    factors.push_back(static_cast<float>(x_scale * factor / unit));
    summands.push_back(static_cast<float>(summand));
    // So that what is rounded is less than 1/1000 of a unit.
    if (!(std::abs(factors.back()) * 255 + std::abs(summands.back()) < 1 << 13))
      return Refusal{"quantized: the normalized values are too large"};
  }
  return kernel(channels, "int8 batch normalization",
                [factors = channels.repeated(std::move(factors)),
                 summands = channels.repeated(std::move(summands))](
                    const Channels& w, std::size_t first, const std::uint8_t* x, std::size_t n,
                    std::uint8_t* y) {
                  int8_affine(w.distances, factors.data() + first, summands.data() + first,
                              w.period, x, n, w.result, y);
                });
}

Lowering lower_quantized(const ops::prelu& op, const QuantizedChain& c, Int8DotProduct) {
  if (const char* reason = unfit(c)) return Refusal{reason};
  if (!op.slope.constant()) return Refusal{"quantized: the slope is not constant"};
  const Dims& shape = c.op.output().shape();
  const auto dimension = only_dimension(op.slope.shape(), shape);
  if (!dimension || op.input.shape() != shape)
    return Refusal{"quantized: the slope is not one number for each channel"};
  const Channels channels(shape, *dimension, c);
  const auto slope = floats_of(op.slope);
  return kernel(
      channels, "int8 prelu",
      [slopes = channels.repeated({slope.begin(), slope.end()}), x_scale = c.operands[0].q.scale[0],
       scale = c.result.scale[0]](const Channels& w, std::size_t first, const std::uint8_t* x,
                                  std::size_t n, std::uint8_t* y) {
        int8_prelu(w.distances, x_scale, slopes.data() + first, scale, w.period, x, n, w.result, y);
      });
}

}  // namespace webnn::inline v0_1::simd
