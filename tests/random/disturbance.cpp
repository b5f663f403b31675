#include "tests/random/disturbance.h"

#include <algorithm>
#include <cmath>

#include "tests/support/coordinates.h"

namespace webnn::inline v0_1::test {
namespace {

/// In two pairs of runs the direction in which an element differs already, so that errors do not
/// cancel in one element; in the others any, so that they do not cancel between elements.
double direction(bool away, double exact, double v, double any) {
  return !away || v == exact ? any : v > exact ? 1 : -1;
}

/// Whether nothing divided by an element is NaN but NaN.
bool are_divisors(const Tensor& x) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]) || x[i] == 0) return false;
  return true;
}

}  // namespace

double largest_finite(const Tensor& x) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(x[i])) largest = std::max(largest, std::abs(x[i]));
  return largest;
}

void change_absolutely(Tensor& x, double unit, const Tensor& exact, Signs signs) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double sign = direction(signs.away(), exact[i], x[i], signs.next());
    if (std::isfinite(x[i])) x.set(i, x[i] + sign * unit);
  }
}

bool is_finite(const Tensor& x) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) return false;
  return true;
}

std::vector<Tensor> with_nan_for_infinity(std::vector<Tensor> all) {
  for (Tensor& t : all)
    for (std::size_t i = 0; is_float(t.type) && i < t.size(); ++i)
      if (std::isinf(t[i])) t.set(i, std::numeric_limits<double>::quiet_NaN());
  return all;
}

std::vector<Tensor> with_magnitudes(std::vector<Tensor> all) {
  for (Tensor& t : all)
    for (std::size_t i = 0; is_float(t.type) && i < t.size(); ++i) t.set(i, std::abs(t[i]));
  return all;
}

bool may_overflow(const std::vector<Tensor>& operands) {
  double product = 1;
  for (const Tensor& t : operands)
    if (is_float(t.type)) product *= std::max(1.0, largest_finite(t));
  return product > 0x1p96;
}

void change(Tensor& x, double ulps, bool tiny, bool zeros, const Tensor& exact, Signs signs) {
  const auto each = [&](std::size_t i, double v, double relative, double least) {
    const double sign = direction(signs.away(), exact[i], v, signs.next());
    if (v == 0 && !tiny && !zeros) return sign > 0 ? v : -v;
    const double unit = std::max(std::abs(v) * relative, least);
    // What is smaller than all normal numbers may be flushed to zero.
    const double flushed = tiny || std::abs(v) < 0x1p-100 ? 0x1p-126 : 0;
    return v + sign * (ulps * unit + flushed);
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x.type == float32) {
      float& v = x.as<float>()[i];
      if (std::isfinite(v))
        v = static_cast<float>(each(i, static_cast<double>(v), 0x1p-23, 0x1p-149));
    } else {
      const auto [relative, least] = x.type == float16    ? std::pair(0x1p-10, 0x1p-24)
                                     : x.type == bfloat16 ? std::pair(0x1p-7, 0x1p-133)
                                                          : std::pair(0x1p-3, 0x1p-9);
      const double v = x[i];
      if (std::isfinite(v)) x.set(i, each(i, v, relative, least));
    }
  }
}

void flush(Tensor& x) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] != 0 && std::abs(x[i]) < 0x1p-125) x.set(i, std::copysign(0.0, x[i]));
}

void change_units(Tensor& x, double units, const Tensor& exact, Signs signs) {
  const double low = lowest_of(x.type), high = highest_of(x.type);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool away = signs.away() || x[i] == low || x[i] == high;  // what is clamped stays so
    const double sign = direction(away, exact[i], x[i], signs.next());
    x.set(i, std::clamp(x[i] + units * sign, low, high));
  }
}

void quantize_by_rounded_quotients(const Tensor& x, const Tensor& scale, const Tensor& zero_point,
                                   MLOperandDataType type, Tensor& y) {
  Tensor quotient = filled(type, {1}, 0);
  std::size_t i = 0;
  for_each_place(x.shape, [&](const Dims& at) {
    Dims block = at;
    for (std::size_t d = 0; d < at.size(); ++d) block[d] /= x.shape[d] / scale.shape[d];
    // A double holds so many digits of the quotient that rounding it again is rounding it once.
    quotient.set(0, x[i] / scale.at(block));
    const double v = std::nearbyint(quotient[0]) + zero_point.at(block);
    if (!std::isnan(v)) y.set(i, std::clamp(v, lowest_of(y.type), highest_of(y.type)));
    ++i;
  });
}

std::vector<std::size_t> without_integer(const Tensor& x, const Tensor& scale) {
  const bool plain = are_divisors(scale);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isnan(x[i]) || (!plain && (x[i] == 0 || std::isinf(x[i])))) found.push_back(i);
  return found;
}

double largest_gate(const std::vector<Tensor>& operands, double state) {
  std::vector<double> largest;
  for (const Tensor& t : operands) largest.push_back(largest_finite(t));
  double rest = 0;
  for (std::size_t k = 3; k < operands.size(); ++k) rest += largest[k];
  return largest[0] * largest[1] * operands[0].shape.back() +
         largest[2] * operands[2].shape.back() * std::max(state, rest) + rest;
}

}  // namespace webnn::inline v0_1::test
