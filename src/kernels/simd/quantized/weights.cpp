#include "src/kernels/simd/quantized/weights.h"

#include <algorithm>
#include <cmath>
#include <optional>

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

bool fits(std::int64_t v) { return v >= -128 && v <= 127; }

}  // namespace

void FactorArrays::set(std::size_t column, FixedPoint f) {
  const auto lanes = static_cast<std::size_t>(int8_lanes());
  const std::size_t lane = column % lanes;
  const std::size_t at = column - lane + lane % 2 * (lanes / 2) + lane / 2;
  const Rounding r(f);
  multipliers_[column] = f.multiplier;
  addends_[at] = r.addend;
  shifts_[at] = r.shift;
}

bool Int8Weights::asymmetric() const {
  return std::any_of(of_column.data(), of_column.data() + columns,
                     [](const Int8Column& c) { return c.zero != 0; });
}

namespace {

/// Fills in the weights and `of_column`, or says why not.
std::optional<Refusal> work_out(Int8Weights& to, Int8Column* of_column,
                                const std::vector<std::int32_t>& integers,
                                const QuantizationParams& w, const QuantizationParams& x,
                                const QuantizedOperand* bias, const QuantizationParams& result) {
  constexpr double max_sum = 2147483000.0, max_result = 1 << 30;
  const std::size_t columns = to.columns, k = to.k;
  const auto of = [&](std::size_t c) { return w.per_tensor() ? 0 : c; };
  bool symmetric = true;
  for (std::size_t i = 0; i < integers.size(); ++i)
    symmetric &= fits(std::int64_t{integers[i]} - w.zero[of(i / k)]);
  const std::int32_t shift = w.type == uint8 ? 128 : 0;
  const std::int64_t x_zero = x.shifted_zero();
  const double farthest = static_cast<double>(std::max(std::abs(x_zero), std::abs(255 - x_zero)));
  const std::vector<double> added = addends(bias, columns);
  to.w.resize(integers.size());
  for (std::size_t c = 0; c < columns; ++c) {
    const std::int64_t from = symmetric ? w.zero[of(c)] : shift;
    const std::int64_t zero = w.zero[of(c)] - from;
    if (std::abs(zero) > 1 << 16) return Refusal{"a zero point of the weights is out of range"};
    std::int64_t sum = 0;
    double magnitude = 0;
    for (std::size_t i = c * k; i < (c + 1) * k; ++i) {
      const std::int64_t v = integers[i] - from;
      to.w[i] = static_cast<std::int8_t>(v);
      sum += v;
      magnitude += static_cast<double>(std::abs(v - zero)) * farthest;
    }
    const double unit = double{x.scale[0]} * double{w.scale[of(c)]};
    const double addend = std::nearbyint(added[c] / unit);
    if (!(magnitude + std::abs(addend) < max_sum)) return Refusal{"sums may exceed 32 bits"};
    if (std::abs(addend * unit - added[c]) > 0.01 * double{result.scale[0]})
      return Refusal{"the bias is not a multiple of the scales"};
    // As TensorFlow Lite has the product: in float where there is one scale for all weights.
    const double product = w.per_tensor() ? double{x.scale[0] * w.scale[0]} : unit;
    const double scale = product / double{result.scale[0]};
    if (!((magnitude + std::abs(addend)) * scale < max_result))
      return Refusal{"the result's scale is too small"};
    // Modulo 2^32, as the sums are: the last of them fits.
    const std::int64_t fixed = static_cast<std::int64_t>(addend) - x_zero * sum +
                               static_cast<std::int64_t>(k) * x_zero * zero;
    of_column[c] = {static_cast<std::int32_t>(static_cast<std::uint64_t>(fixed)),
                    static_cast<std::int32_t>(zero), fixed_point(scale)};
  }
  return std::nullopt;
}

/// Whether fixed_point() may have made it.
bool is_possible(FixedPoint f) {
  return f.exponent >= -31 && f.exponent <= 30 && (f.multiplier == 0 || f.multiplier >= 1 << 30);
}

}  // namespace

std::variant<Int8Weights, Refusal> int8_weights(
    std::size_t columns, std::size_t k, const Integers& integers, const QuantizationParams& w,
    const QuantizationParams& x, const QuantizedOperand* bias, const QuantizationParams& result) {
  Int8Weights to{.columns = columns, .k = k};
  std::optional<Refusal> refusal;
  to.of_column = SharedArray<Int8Column>::packed(columns, [&](Int8Column* all) {
    refusal = work_out(to, all, integers(), w, x, bias, result);
  });
  if (refusal) return *refusal;
  for (std::size_t c = 0; c < columns; ++c)  // which may be of a file
    if (!is_possible(to.of_column[c].scale))
      return Refusal{"the scale of a column is out of range"};
  return to;
}

std::vector<std::int32_t> filter_integers(const QuantizedOperand& filter,
                                          MLConv2dFilterOperandLayout layout) {
  const std::vector<std::int32_t> from = integers_of(filter.x);
  return in_ohwi(std::span<const std::int32_t>(from),
                 ops::filter_sizes(filter.as_read.shape(), layout), layout);
}

}  // namespace webnn::inline v0_1::simd
