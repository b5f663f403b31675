// Linear resizing of images of bytes. In float32; or in fixed point where nhwc images keep their
// unit: with positions in units of 1/1024 and halves away from zero, as TensorFlow Lite computes
// it. It rounds the ratio of the sizes first, so its positions drift where 1024 times the ratio is
// no integer; these do not.
#include <array>

#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/vector/int8/resample.h"

namespace webnn::inline v0_1::simd {
namespace {

constexpr std::uint32_t max_size = 1 << 16;  // of an axis: tables should not be large

std::int64_t floor_divided(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

/// The position of element o is ((2 o + 1) in - out) / (2 out), limited to the elements there are.
Int8Samples samples_of(std::uint32_t from, std::uint32_t to) {
  const std::int64_t in = from, out = to, unit = resample_unit;
  Int8Samples s;
  for (std::int64_t o = 0; o < out; ++o) {
    const std::int64_t twice = (2 * o + 1) * in - out;                            // times out
    const std::int64_t nearest = floor_divided(unit * twice + out - 1, 2 * out);  // half: the lower
    const std::int64_t at = std::clamp<std::int64_t>(nearest, 0, (in - 1) * unit);
    s.low.push_back(static_cast<std::int32_t>(at / unit));
    s.high.push_back(static_cast<std::int32_t>(std::min(at / unit + 1, in - 1)));
    s.weight.push_back(static_cast<std::int32_t>(at % unit));
  }
  return s;
}

struct Resampling {
  Int8Samples down, across;
  std::size_t rows, columns, channels;  // of the input
  bool is_signed;
  std::int32_t low, high;
  std::size_t slot;

  std::size_t in_row() const { return columns * channels; }
  /// Row i of all results.
  void run(std::size_t i, const Buffers& b, std::int32_t* scratch) const {
    const std::size_t image = i / down.size(), o = i % down.size();
    const auto row = [&](std::int32_t r) {
      return b.in<std::uint8_t>(slot) + (image * rows + static_cast<std::size_t>(r)) * in_row();
    };
    int8_blend_rows(row(down.low[o]), row(down.high[o]), down.weight[o], is_signed, in_row(),
                    scratch);
    int8_blend_columns(across, channels, scratch, is_signed, low, high,
                       b.out<std::uint8_t>() + i * across.size() * channels);
  }
};

/// The position of element o is ((2 o + 1) in - out) / (2 out), or 0 if that is negative. Behind
/// the last element it is half of that and half of itself, as ONNX Runtime has it: the sums are
/// rounded differently.
Int8FloatSamples float_samples_of(std::uint32_t from, std::uint32_t to) {
  const std::int64_t in = from, out = to;
  Int8FloatSamples s;
  for (std::int64_t o = 0; o < out; ++o) {
    const std::int64_t above = std::max<std::int64_t>((2 * o + 1) * in - out, 0);
    const std::int64_t low = std::min(above / (2 * out), in - 1);
    const double part = static_cast<double>(above - low * 2 * out) / (2 * static_cast<double>(out));
    const bool last = low == in - 1;
    s.low.push_back(static_cast<std::int32_t>(low));
    s.high.push_back(static_cast<std::int32_t>(last ? low : low + 1));
    s.far.push_back(last ? 0.5f : static_cast<float>(part));
    s.near.push_back(last ? 0.5f : static_cast<float>(1 - part));
  }
  return s;
}

/// Planes of one channel, for nchw. Items are rows of all results.
struct FloatPlanes {
  Int8FloatSamples down, across;
  std::size_t rows, columns, slot;
  Int8FloatUnits units;
  std::array<float, 256> values{};  // of bytes

  FloatPlanes(const Dims& in, const Dims& out, const QuantizedChain& c)
      : down(float_samples_of(in[2], out[2])),
        across(float_samples_of(in[3], out[3])),
        rows(in[2]),
        columns(in[3]),
        slot(static_cast<std::size_t>(c.operands[0].slot)) {
    const QuantizationParams& q = c.operands[0].q;
    units = {q.flip(), q.shifted_zero(), q.scale[0], c.result.scale[0], int8_result(c)};
    for (int byte = 0; byte < 256; ++byte)
      values[static_cast<std::size_t>(byte)] =
          static_cast<float>((byte ^ units.flip) - units.zero) * units.x_scale;
  }
  /// The values on both sides of each element of a row, for two rows.
  std::size_t scratch() const { return 4 * across.size() * sizeof(float); }
  void spread(const std::uint8_t* row, float* to) const {
    const std::size_t n = across.size();
    for (std::size_t o = 0; o < n; ++o) {
      to[o] = values[row[static_cast<std::size_t>(across.low[o])]];
      to[n + o] = values[row[static_cast<std::size_t>(across.high[o])]];
    }
  }
  void run(std::size_t begin, std::size_t end, const Buffers& b, float* scratch) const {
    constexpr std::size_t none = ~std::size_t{0};
    const std::size_t n = across.size();
    std::size_t spread_rows[2] = {none, none};  // even and odd ones of all planes
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t plane = i / down.size(), o = i % down.size();
      const float* from[4];
      for (int side = 0; side < 2; ++side) {
        const auto in_plane = static_cast<std::size_t>(side ? down.high[o] : down.low[o]);
        const std::size_t row = plane * rows + in_plane, parity = in_plane % 2;
        float* const to = scratch + parity * 2 * n;
        if (spread_rows[parity] != row) spread(b.in<std::uint8_t>(slot) + row * columns, to);
        spread_rows[parity] = row;
        from[2 * side] = to;
        from[2 * side + 1] = to + n;
      }
      int8_float_blend_plane(units, across, down.near[o], down.far[o], from,
                             b.out<std::uint8_t>() + i * n);
    }
  }
};

Lowering lower_planes(const Dims& in, const Dims& out, const QuantizedChain& c) {
  const auto w = std::make_shared<const FloatPlanes>(in, out, c);
  if (w->scratch() > max_scratch) return Refusal{"needs too much scratch"};
  const Partition tiles =
      partition(std::size_t{out[0]} * out[1] * out[2], 2.0 * static_cast<double>(out[3]) + 16);
  return Candidate{.name = "int8 resize",
                   .tiles = tiles.tiles(),
                   .scratch = w->scratch(),
                   .run = [w, tiles](Range r, const Buffers& b, std::byte* scratch) {
                     w->run(tiles.begin(r), tiles.end(r), b, reinterpret_cast<float*>(scratch));
                   }};
}

Lowering lower_floats(const Dims& in, const Dims& out, const QuantizedChain& c) {
  const QuantizationParams& q = c.operands[0].q;
  struct Work {
    Int8FloatSamples down, across;
    std::size_t rows, row, channels, slot;
    Int8FloatUnits units;
  };
  const auto w = std::make_shared<const Work>(
      Work{float_samples_of(in[1], out[1]),
           float_samples_of(in[2], out[2]),
           in[1],
           std::size_t{in[2]} * in[3],
           in[3],
           static_cast<std::size_t>(c.operands[0].slot),
           {q.flip(), q.shifted_zero(), q.scale[0], c.result.scale[0], int8_result(c)}});
  const double cost = static_cast<double>(out[2]) * (in[3] + 16.0);
  const Partition tiles = partition(std::size_t{in[0]} * out[1], cost);
  return Candidate{.name = "int8 resize",
                   .tiles = tiles.tiles(),
                   .run = [w, tiles](Range r, const Buffers& b, std::byte*) {
                     for (std::size_t i = tiles.begin(r); i < tiles.end(r); ++i) {
                       const std::size_t image = i / w->down.size(), o = i % w->down.size();
                       const auto row = [&](std::int32_t k) {
                         return b.in<std::uint8_t>(w->slot) +
                                (image * w->rows + static_cast<std::size_t>(k)) * w->row;
                       };
                       int8_float_blend(w->units, w->across, w->down.near[o], w->down.far[o],
                                        row(w->down.low[o]), row(w->down.high[o]), w->channels,
                                        b.out<std::uint8_t>() + i * w->across.size() * w->channels);
                     }
                   }};
}

}  // namespace

Lowering lower_quantized(const ops::resample2d& op, const QuantizedChain& c, Int8DotProduct) {
  const QuantizedOperand& x = c.operands[0];
  const Dims &in = op.input.shape(), &out = c.op.output().shape();
  if (op.options.mode != MLInterpolationMode::linear) return Refusal{"quantized: only linear"};
  const std::uint32_t first = std::min(op.options.axes[0], op.options.axes[1]);
  if (std::max(op.options.axes[0], op.options.axes[1]) != first + 1 || first == 0)
    return Refusal{"quantized: neither nhwc nor nchw"};
  if (!x.x || x.constant() || !x.q.is_activation()) return Refusal{"quantized: not of 8 bits"};
  for (std::uint32_t d : {first, first + 1})
    if (in[d] > max_size || out[d] > max_size) return Refusal{"a size is above 2^16"};
  if (c.requantization == Requantization::floats) {
    if (!(double{x.q.scale[0]} / double{c.result.scale[0]} < 1 << 20))
      return Refusal{"the result's scale is too small"};
    return first == 1 ? lower_floats(in, out, c) : lower_planes(in, out, c);
  }
  if (first != 1) return Refusal{"quantized: only nhwc"};
  if (!(x.q == c.result)) return Refusal{"quantized: the result has another scale or zero point"};
  const auto s = std::make_shared<const Resampling>(
      Resampling{samples_of(in[1], out[1]), samples_of(in[2], out[2]), in[1], in[2], in[3],
                 x.q.is_signed(), c.low, c.high, static_cast<std::size_t>(x.slot)});
  const std::size_t scratch = s->in_row() * sizeof(std::int32_t);
  if (scratch > max_scratch) return Refusal{"needs too much scratch"};
  const double cost = static_cast<double>(s->in_row() + std::size_t{out[2]} * in[3]) / 4 + 16;
  const Partition tiles = partition(std::size_t{in[0]} * out[1], cost);
  return Candidate{.name = "int8 resize",
                   .tiles = tiles.tiles(),
                   .scratch = scratch,
                   .run = [s, tiles](Range r, const Buffers& b, std::byte* scratch) {
                     for (std::size_t i = tiles.begin(r); i < tiles.end(r); ++i)
                       s->run(i, b, reinterpret_cast<std::int32_t*>(scratch));
                   }};
}

}  // namespace webnn::inline v0_1::simd
