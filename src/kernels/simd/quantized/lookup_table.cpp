#include "src/kernels/simd/quantized/lookup_table.h"

#include <cmath>

#include "src/kernels/common/fused.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/simd/quantized/exact_table.h"
#include "src/kernels/simd/quantized/lower.h"
#include "src/kernels/simd/vector/int8/rows.h"

namespace webnn::inline v0_1::simd {
namespace {

using Table = std::vector<std::uint8_t>;

/// The only operand that is not constant, wherever it is read.
const QuantizedOperand* only_operand(const QuantizedChain& c) {
  const QuantizedOperand* only = nullptr;
  for (const QuantizedOperand& x : c.operands) {
    if (!x.x || x.constant()) continue;
    if (only && !only->x.is(x.x)) return nullptr;
    only = &x;
  }
  return only;
}

/// f(distance from the zero point) + zero within bounds, for bytes as they are.
template <class F>
Table table_of_bytes(const QuantizedChain& c, const QuantizedOperand& x, const F& f,
                     std::int32_t low, std::int32_t high) {
  Table table(256);
  for (std::int32_t byte = 0; byte < 256; ++byte) {
    const std::int32_t y = f((byte ^ x.q.flip()) - x.q.shifted_zero()) + c.result.zero[0];
    table[static_cast<std::size_t>(byte)] =
        static_cast<std::uint8_t>(std::min(std::max(y, low), high));
  }
  return table;
}

/// A function that is a factor on either side of zero, in units of the result, and bounds. Where
/// TensorFlow Lite has the factor in float, it is in float here.
struct Rescaling {
  double above, below;
  std::int32_t low, high;
};
std::optional<Rescaling> rescaling_of(const QuantizedChain& c, float x_scale) {
  const float unit = c.result.scale[0];
  Rescaling r{x_scale / unit, x_scale / unit, c.low, c.high};
  if (!c.clamps) return std::nullopt;
  if (c.op.as<ops::quantizeLinear>()) {
    r.above = r.below = double{x_scale} / double{unit};
    return r;
  }
  if (const auto* leaky = c.op.as<ops::leakyRelu>()) {
    r.below = x_scale * static_cast<float>(leaky->options.alpha) / unit;
    if (!(r.below >= 0)) return std::nullopt;
    return r;
  }
  const auto bounds = activation_of(c.op);
  if (!bounds || !bounds->clamps()) return std::nullopt;
  const std::int32_t low = quantized(bounds->lo, c.result), high = quantized(bounds->hi, c.result);
  r.low = std::min(std::max(r.low, low), r.high);
  r.high = std::max(std::min(r.high, high), r.low);
  return r;
}

/// The same function of integers as a table, for bytes as they are.
std::optional<Table> rescaled(const QuantizedChain& c, const QuantizedOperand& x) {
  if (!x.q.is_activation()) return std::nullopt;
  const auto r = rescaling_of(c, x.q.scale[0]);
  if (!r || !(std::max(r->above, r->below) < 1 << 20)) return std::nullopt;
  const FixedPoint above = fixed_point(r->above), below = fixed_point(r->below);
  const auto f = [&](std::int32_t distance) {
    return scaled(distance, distance >= 0 ? above : below, Ties::away);
  };
  return table_of_bytes(c, x, f, r->low, r->high);
}

/// x * min(max(x + 3, 0), 6) / 6 as TensorFlow Lite computes it, in fixed point of 16 bits.
class HardSwish {
 public:
  /// Maps the distance of a byte from the zero point of x to the result, in multiples of `unit`.
  HardSwish(float x_scale, float unit) {
    const float fine = x_scale / 128;
    const FixedPoint to_result = fixed_point(fine / unit),
                     to_sixths = fixed_point(fine * 32768 / 3);
    result_ = upper_half(to_result.multiplier);
    result_exponent_ = to_result.exponent;
    sixths_ = upper_half(to_sixths.multiplier);
    sixths_exponent_ = to_sixths.exponent;
  }
  /// Nothing for a unit far below that of x.
  bool known() const { return result_exponent_ <= 0; }
  std::int32_t operator()(std::int32_t distance) const {
    const std::int32_t fine = saturated(distance * 128);
    // (x + 3) / 6 from 0 to 1, as 0 to 2^15.
    std::int32_t share = fine;
    if (sixths_exponent_ > 0) share = saturated(share * (1 << (sixths_exponent_ - 1)));
    share = product(share, sixths_);
    if (sixths_exponent_ > 0) share = saturated(share * 2);
    else share = halved(share, -sixths_exponent_);
    share = (share + (1 << 15)) >> 1;
    return halved(share * product(fine, result_) / (1 << 15), -result_exponent_);
  }

 private:
  static std::int32_t saturated(std::int64_t v) {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(std::max<std::int64_t>(v, -32768), 32767));
  }
  static std::int32_t upper_half(std::int32_t v) {
    return saturated((std::int64_t{v} + (1 << 15)) >> 16);
  }
  static std::int32_t product(std::int32_t a, std::int32_t b) { return (a * b + (1 << 14)) >> 15; }
  /// `times` times, ties away from zero.
  static std::int32_t halved(std::int32_t v, int times) {
    if (times > 30) return 0;
    const std::int32_t half = (1 << times) >> 1;
    return (v + half - (times > 0 && v < 0)) >> times;
  }

  std::int32_t result_, sixths_;
  int result_exponent_, sixths_exponent_;
};

std::optional<Table> hard_swish(const QuantizedChain& c, const QuantizedOperand& x) {
  if (!c.op.as<ops::hardSwish>() || !c.clamps || !x.q.is_activation()) return std::nullopt;
  const HardSwish f(x.q.scale[0], c.result.scale[0]);
  if (!f.known()) return std::nullopt;
  return table_of_bytes(c, x, f, c.low, c.high);
}

/// From unsigned bytes to unsigned bytes, as operands of a concatenation change their units.
std::optional<Table> requantized(const QuantizedChain& c, const QuantizedOperand& x) {
  const bool of_unsigned = x.q.type == uint8 && c.result.type == uint8;
  if (!c.op.as<ops::quantizeLinear>() || !of_unsigned || !x.q.is_activation()) return std::nullopt;
  const float factor = x.q.scale[0] * (1 / c.result.scale[0]);
  const float addend = static_cast<float>(-x.q.zero[0]) * factor;
  Table table(256);
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const float rounded = std::round(static_cast<float>(byte) * factor + addend);
    const float y = rounded + static_cast<float>(c.result.zero[0]);
    table[byte] = static_cast<std::uint8_t>(std::min(std::max(y, 0.f), 255.f));
  }
  return table;
}

/// The table that TensorFlow Lite has.
std::optional<Table> fixed_table(const QuantizedChain& c, const QuantizedOperand& x) {
  if (auto table = requantized(c, x)) return table;
  if (auto table = rescaled(c, x)) return table;
  if (const auto table = fixed_binary_table(c)) return Table(table->begin(), table->end());
  return hard_swish(c, x);
}

/// Whether no entry is more than a unit away from the other's.
bool near(const Table& a, const Table& b, std::uint8_t flip) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs((a[i] ^ flip) - (b[i] ^ flip)) > 1) return false;
  return true;
}

}  // namespace

std::optional<Candidate> lower_lookup_table(Chain chain, const QuantizedChain& c) {
  const QuantizedOperand* x = only_operand(c);
  if (!x || element_count(x->x.shape()) != element_count(c.y.shape())) return std::nullopt;
  auto table = exact_table(chain, x->x);
  if (!table) return std::nullopt;
  if (c.requantization == Requantization::fixedPoint)
    if (auto fixed = fixed_table(c, *x); fixed && near(*fixed, *table, c.result.flip()))
      table = std::move(fixed);
  const Partition work = partition(element_count(c.y.shape()), 0.125, 64);
  return Candidate{
      .name = "int8 lookup table",
      .tiles = work.tiles(),
      .in_place = {x->slot},
      .run = [work, table = std::move(*table), slot = static_cast<std::size_t>(x->slot)](
                 Range r, const Buffers& b, std::byte*) {
        const std::size_t first = work.begin(r);
        int8_map(table.data(), b.in<std::uint8_t>(slot) + first, work.end(r) - first,
                 b.out<std::uint8_t>() + first);
      }};
}

}  // namespace webnn::inline v0_1::simd
