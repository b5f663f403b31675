#include "src/kernels/simd/quantized/weights.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/graph/constant_facts.h"
#include "src/kernels/common/checksum.h"
#include "src/kernels/common/convolution.h"
#include "src/kernels/simd/vector/int8/dot_product.h"

namespace webnn::inline v0_1::simd {
namespace {

/// The bias of each column, in real units.
std::vector<double> addends(const QuantizedOperand* bias, std::size_t columns) {
  std::vector<double> all(columns);
  if (!bias) return all;
  if (!bias->x) {
    const auto values = floats_of(bias->as_read);
    for (std::size_t c = 0; c < columns; ++c) all[c] = values[values.size() == 1 ? 0 : c];
    return all;
  }
  const auto values = integers_of(bias->x);
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t i = values.size() == 1 ? 0 : c, q = bias->q.per_tensor() ? 0 : i;
    all[c] = (static_cast<double>(values[i]) - bias->q.zero[q]) * double{bias->q.scale[q]};
  }
  return all;
}

bool is_signed_byte(std::int64_t v) { return v >= -128 && v <= 127; }

}  // namespace

void ColumnArrays::set(std::byte* to, std::size_t column, const Int8Column& c) const {
  const auto lanes = static_cast<std::size_t>(int8_lanes());
  const std::size_t lane = column % lanes;
  const std::size_t at = column - lane + lane % 2 * (lanes / 2) + lane / 2;
  auto* const narrow = reinterpret_cast<std::int32_t*>(to);
  narrow[column] = c.bias;
  narrow[n_ + column] = c.zero;
  if (!is_fixed_) {
    auto* const floats = reinterpret_cast<float*>(to + 8 * n_);
    floats[column] = c.scale;
    floats[n_ + column] = c.offset;
    return;
  }
  const Rounding r(c.fixed);
  auto* const wide = reinterpret_cast<std::int64_t*>(to + 12 * n_);
  narrow[2 * n_ + column] = c.fixed.multiplier;
  wide[at] = r.addend;
  wide[n_ + at] = r.shift;
}

namespace {

/// What decides whether integers can be summed, and all that the signed weights depend on.
struct Parameters {
  std::size_t columns, k;
  QuantizationParams w, x;
  float result_scale;
  std::vector<double> added;  // to each column
  bool is_fixed;

  std::size_t of(std::size_t c) const { return w.per_tensor() ? 0 : c; }
  std::int32_t shift() const { return w.type == uint8 ? 128 : 0; }
  /// The largest distance of an element of x from its zero point.
  double farthest() const {
    const std::int64_t zero = x.shifted_zero();
    return static_cast<double>(std::max(std::abs(zero), std::abs(255 - zero)));
  }
  double unit(std::size_t c) const { return double{x.scale[0]} * double{w.scale[of(c)]}; }
  /// As TensorFlow Lite has the product: in float where there is one scale for all weights.
  double scale(std::size_t c) const {
    const bool narrow = is_fixed && w.per_tensor();
    const double product = narrow ? double{x.scale[0] * w.scale[0]} : unit(c);
    return product / double{result_scale};
  }
};

constexpr double max_sum = 2147483000.0;

/// What is added to a column: an integer to the sum, and the rest in units of the result.
struct Addend {
  double integer = 0, rest = 0;

  /// `magnitude`: the largest sum of the column.
  Addend(const Parameters& p, std::size_t c, double magnitude) {
    const double unit = p.unit(c), nearest = std::nearbyint(p.added[c] / unit);
    if (p.is_fixed || magnitude + std::abs(nearest) < max_sum) integer = nearest;
    rest = (p.added[c] - integer * unit) / double{p.result_scale};
  }
};

enum Reason : std::uint64_t { fits, zero_point, sums, bias_scale, result_scale };
Refusal refusal_of(std::uint64_t reason) {
  switch (reason) {
    case zero_point: return {"a zero point of the weights is out of range"};
    case sums: return {"sums may exceed 32 bits"};
    case bias_scale: return {"the bias is not a multiple of the scales"};
    default: return {"the result's scale is too small"};
  }
}

/// `magnitude`: the largest sum of a column.
Reason check_column(const Parameters& p, std::size_t c, std::int64_t zero, double magnitude) {
  constexpr double max_result = 1 << 30;
  if (std::abs(zero) > 1 << 16) return zero_point;
  const Addend addend(p, c, magnitude);
  const double largest = magnitude + std::abs(addend.integer);
  if (!(largest < max_sum)) return sums;
  if (p.is_fixed && std::abs(addend.rest) > 0.01) return bias_scale;
  if (!(largest * p.scale(c) + std::abs(addend.rest) < max_result)) return result_scale;
  return fits;
}

bool is_symmetric(const Parameters& p, const std::vector<std::int32_t>& integers) {
  for (std::size_t i = 0; i < integers.size(); ++i)
    if (!is_signed_byte(std::int64_t{integers[i]} - p.w.zero[p.of(i / p.k)])) return false;
  return true;
}

/// Fills in the values, if there are any to fill in, or says why not.
Reason work_out(const Parameters& p, const std::vector<std::int32_t>& integers, bool symmetric,
                Int8Values* to) {
  const std::int64_t x_zero = p.x.shifted_zero();
  const double farthest = p.farthest();
  if (to) to->w.resize(integers.size()), to->of_column.resize(p.columns);
  for (std::size_t c = 0; c < p.columns; ++c) {
    const std::int64_t from = symmetric ? p.w.zero[p.of(c)] : p.shift();
    const std::int64_t zero = p.w.zero[p.of(c)] - from;
    std::int64_t sum = 0;
    double magnitude = 0;
    for (std::size_t i = c * p.k; i < (c + 1) * p.k; ++i) {
      const std::int64_t v = integers[i] - from;
      if (to) to->w[i] = static_cast<std::int8_t>(v);
      sum += v;
      magnitude += static_cast<double>(std::abs(v - zero)) * farthest;
    }
    if (!to) {
      if (const Reason reason = check_column(p, c, zero, magnitude)) return reason;
      continue;
    }
    // Modulo 2^32, as the sums are: the last of them fits.
    const Addend addend(p, c, magnitude);
    const std::int64_t constant = static_cast<std::int64_t>(addend.integer) - x_zero * sum +
                                  static_cast<std::int64_t>(p.k) * x_zero * zero;
    to->of_column[c] = {static_cast<std::int32_t>(static_cast<std::uint64_t>(constant)),
                        static_cast<std::int32_t>(zero), fixed_point(p.scale(c)),
                        static_cast<float>(p.scale(c)), static_cast<float>(addend.rest)};
  }
  return fits;
}

/// Whether the type of the integers says that they fit, and need no zero point.
bool fits_by_type(const Parameters& p) {
  const auto [low, high] = limits_of(p.w.type);
  for (std::size_t c = 0; c < p.columns; ++c) {
    const std::int64_t below = std::int64_t{low} - p.w.zero[p.of(c)],
                       above = std::int64_t{high} - p.w.zero[p.of(c)];
    if (!is_signed_byte(below) || !is_signed_byte(above)) return false;
    const auto largest = static_cast<double>(std::max(std::abs(below), std::abs(above)));
    if (check_column(p, c, 0, static_cast<double>(p.k) * largest * p.farthest())) return false;
  }
  return true;
}

std::string text_of(const Parameters& p, const std::string& order) {
  Checksum sum;
  const auto add = [&](const auto& values) { sum.add(std::as_bytes(std::span(values))); };
  for (const QuantizationParams* q : {&p.w, &p.x}) add(q->scale), add(q->zero);
  add(p.added);
  return order + layout_text("", p.columns, p.k, static_cast<int>(p.w.type),
                             static_cast<int>(p.x.type), p.w.scale.size(), p.result_scale,
                             p.is_fixed, sum.value());
}

}  // namespace

std::variant<Int8Weights, Refusal> int8_weights(std::size_t columns, std::size_t k,
                                                const Int8Source& source, const QuantizedChain& c,
                                                const QuantizedOperand* bias) {
  const QuantizedOperand& w = source.operand;
  const auto p = std::make_shared<const Parameters>(
      Parameters{columns, k, w.q, c.operands[0].q, c.result.scale[0], addends(bias, columns),
                 c.requantization == Requantization::fixedPoint});
  std::string text = text_of(*p, source.order);
  bool symmetric = true;
  if (!fits_by_type(*p)) {
    constexpr std::uint64_t is_symmetric_bit = 256;
    const std::uint64_t fact =
        fact_of(*w.x.constant(), "int8 weights/1" + text, [&]() -> std::uint64_t {
          const std::vector<std::int32_t> integers = source.read();
          const bool all = is_symmetric(*p, integers);
          return work_out(*p, integers, all, nullptr) | (all ? is_symmetric_bit : 0);
        });
    if (fact & ~is_symmetric_bit) return refusal_of(fact & ~is_symmetric_bit);
    symmetric = (fact & is_symmetric_bit) != 0;
  }
  const bool asymmetric =
      !symmetric && std::any_of(w.q.zero.begin(), w.q.zero.end(),
                                [&](std::int32_t zero) { return zero != p->shift(); });
  return Int8Weights{columns,
                     k,
                     asymmetric,
                     w.slot,
                     c.requantization,
                     std::move(text),
                     [p, symmetric, read = source.read] {
                       Int8Values values;
                       work_out(*p, read(), symmetric, &values);
                       return values;
                     }};
}

std::vector<std::int32_t> filter_integers(const QuantizedOperand& filter,
                                          MLConv2dFilterOperandLayout layout) {
  const std::vector<std::int32_t> from = integers_of(filter.x);
  return in_ohwi(std::span<const std::int32_t>(from),
                 ops::filter_sizes(filter.as_read.shape(), layout), layout);
}

}  // namespace webnn::inline v0_1::simd
