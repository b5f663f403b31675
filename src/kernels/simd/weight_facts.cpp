#include "src/kernels/simd/weight_facts.h"

#include <bit>
#include <cmath>
#include <numeric>

#include "src/graph/constant_facts.h"
#include "src/graph/op.h"
#include "src/kernels/common/packed_array.h"
#include "src/kernels/common/quantized.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::simd {
namespace {

/// Whether each so many scales have a common factor.
bool are_bytes(std::span<const float> scales, std::size_t each) {
  for (std::size_t i = 0; i < scales.size(); i += each)
    if (!common_factor(scales.subspan(i, each))) return false;
  return true;
}

/// Far enough from the largest and the smallest floats for the sums of the kernels.
bool is_ordinary(float scale) {
  return scale == 0 || (std::abs(scale) >= 1e-28f && std::abs(scale) <= 1e30f);
}

/// Whether it is a float16.
bool has_float16(float v) {
  constexpr std::uint32_t dropped = 0x1fff, least = 0x38800000, largest = 0x477fe000;
  const auto bits = std::bit_cast<std::uint32_t>(v), magnitude = bits & 0x7fffffff;
  if (magnitude == 0) return true;
  if (magnitude >= least) return magnitude <= largest && (bits & dropped) == 0;
  return float16_value(float16_bits(v)) == v;
}

/// Whether all integers of a constant of 8 bits are from -32 to 31.
bool have_six_bits(const MLOperand& x) {
  const auto bytes = x.constant()->bytes();
  const unsigned from = x.dataType() == int8 ? 32 : 0, most = x.dataType() == int8 ? 63 : 31;
  unsigned beyond = 0;
  for (const std::byte b : bytes)
    beyond |= static_cast<std::uint8_t>(static_cast<unsigned>(b) + from) > most ? 1u : 0u;
  return beyond == 0;
}

/// Whether all elements of a constant of 4 or 8 bits are `v`.
bool are_all(const MLOperand& x, std::int32_t v) {
  const auto bytes = x.constant()->bytes();
  const auto low = static_cast<unsigned>(v) & 15;
  const std::size_t count = element_count(x.shape());
  const bool of_4_bits = bits_of(x.dataType()) == 4;
  const auto all = static_cast<std::byte>(of_4_bits ? low | low << 4 : static_cast<unsigned>(v));
  const std::size_t whole = of_4_bits ? count / 2 : count;
  return std::all_of(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(whole),
                     [&](std::byte b) { return b == all; }) &&
         (!of_4_bits || count % 2 == 0 || integer_at(x.dataType(), bytes.data(), count - 1) == v);
}

}  // namespace

std::optional<float> common_factor(std::span<const float> scales) {
  constexpr int most = 127, most_apart = 30, exponent_of_one = 150;
  std::uint64_t common = 0;
  int exponent = 0;
  for (const float s : scales) {
    if (s == 0) continue;
    const auto bits = std::bit_cast<std::uint32_t>(s);
    int e = static_cast<int>(bits >> 23 & 255);
    if (e == 0) return std::nullopt;  // denormal
    std::uint64_t m = (bits & 0x7fffff) | 0x800000;
    e += std::countr_zero(m);
    m >>= std::countr_zero(m);
    if (common != 0 && std::abs(e - exponent) > most_apart) return std::nullopt;
    if (common == 0) {
      exponent = e;
    } else if (e >= exponent) {
      m <<= e - exponent;
    } else {
      common <<= exponent - e;
      exponent = e;
    }
    if (common == 0 || m % common != 0) common = std::gcd(common, m);
  }
  if (common == 0) return 1;
  const float factor = std::ldexp(static_cast<float>(common), exponent - exponent_of_one);
  const bool all = std::all_of(scales.begin(), scales.end(), [&](float s) {
    const float times = s / factor;
    return std::abs(times) <= most && times == std::trunc(times) && times * factor == s;
  });
  return all ? std::optional(factor) : std::nullopt;
}

WeightFacts facts_of_weights(const Node& expands, float alpha, std::size_t scales_of_panel) {
  const auto* op = expands.as<ops::dequantizeLinear>();
  if (!op) return {};
  const MLOperand &x = op->input, &zero_point = op->zeroPoint;
  const auto fact_of_scales = [&](const std::string& name, auto holds) {
    return fact_of(*op->scale.constant(), name, [&] { return holds(floats_of(op->scale)); }) != 0;
  };
  const auto every = [&](auto holds) {
    return [=](std::span<const float> scales) {
      return std::all_of(scales.begin(), scales.end(),
                         [&](float scale) { return holds(alpha * scale); });
    };
  };
  WeightFacts f;
  f.ordinary_scales = fact_of_scales(layout_text("ordinary scales/1", alpha), every(&is_ordinary));
  f.half_scales = fact_of_scales(layout_text("float16 scales/1", alpha), every(&has_float16));
  if (f.ordinary_scales && !f.half_scales && alpha == 1 && scales_of_panel > 0)
    f.byte_scales = fact_of_scales(
        layout_text("scales in bytes/1", scales_of_panel),
        [&](std::span<const float> scales) { return are_bytes(scales, scales_of_panel); });
  constexpr std::int32_t above = 256;  // is added to the zero point of all; 0 if they differ
  const std::uint64_t zero = fact_of(*zero_point.constant(), "zero point of all/1", [&] {
    const std::int32_t first = integer_at(x.dataType(), zero_point.constant()->bytes().data(), 0);
    return are_all(zero_point, first) ? static_cast<std::uint64_t>(first + above) : 0;
  });
  f.zeros = zero == 0;
  if (!f.zeros) f.zero = static_cast<std::int32_t>(zero) - above;
  if (bits_of(x.dataType()) == 8 && !f.zeros && f.zero == 0)
    f.six_bits = fact_of(*x.constant(), "integers of 6 bits/1",
                         [&] { return std::uint64_t{have_six_bits(x)}; }) != 0;
  return f;
}

}  // namespace webnn::inline v0_1::simd
