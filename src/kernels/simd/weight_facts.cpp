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

bool is_multiple(float s, float factor) {
  constexpr float most = 127;
  const float times = s / factor;
  return std::abs(times) <= most && times == std::trunc(times) && times * factor == s;
}

/// Whether each so many scales have a common factor.
bool are_bytes(std::span<const float> scales, std::size_t each) {
  for (std::size_t i = 0; i < scales.size(); i += each)
    if (!common_factor(scales.subspan(i, each))) return false;
  return true;
}
/// The same if the factors are likely to be these.
bool are_multiples(std::span<const float> scales, const ScaleFactors& factors) {
  if (factors.values.size() * factors.each != scales.size()) return false;
  unsigned others = 0;
  for (std::size_t i = 0; i < scales.size(); i += factors.each) {
    const float factor = factors.values[i / factors.each];
    for (std::size_t k = i; k < i + factors.each; ++k)
      others |= is_multiple(scales[k], factor) ? 0u : 1u;
  }
  return others == 0;
}

struct ScaleRange {
  bool ordinary;  ///< far enough from the largest and the smallest floats for the sums of kernels
  bool float16;   ///< each is a float16
};
/// Of scales times alpha. Without branches: the compiler makes vectors of it.
ScaleRange range_of(std::span<const float> scales, float alpha) {
  constexpr auto least = std::bit_cast<std::uint32_t>(1e-28f),
                 most = std::bit_cast<std::uint32_t>(1e30f);
  constexpr std::uint32_t dropped = 0x1fff, least_float16 = 0x38800000,
                          largest_float16 = 0x477fe000;
  std::uint32_t extreme = 0, others = 0, tiny = 0;
  for (const float s : scales) {
    const auto bits = std::bit_cast<std::uint32_t>(alpha * s);
    const std::uint32_t magnitude = bits & 0x7fffffff;
    const std::uint32_t not_zero = magnitude != 0 ? 1 : 0;
    extreme |= not_zero & (magnitude - least > most - least ? 1 : 0);
    const std::uint32_t below = not_zero & (magnitude < least_float16 ? 1 : 0);
    tiny |= below;
    others |= (not_zero ^ below) &
              (((bits & dropped) != 0 ? 1 : 0) | (magnitude > largest_float16 ? 1 : 0));
  }
  ScaleRange r{extreme == 0, others == 0};
  if (r.float16 && tiny != 0)  // subnormal ones among them
    r.float16 = std::ranges::all_of(
        scales, [&](float s) { return float16_value(float16_bits(alpha * s)) == alpha * s; });
  return r;
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

/// Whether all elements of a constant of 8 bits are numbers.
bool are_numbers(const MLOperand& x) {
  constexpr unsigned nan = 0x7f;
  unsigned others = 0;
  for (const std::byte b : x.constant()->bytes())
    others |= (static_cast<unsigned>(b) & nan) == nan ? 1u : 0u;
  return others == 0;
}

void add_facts_of_float8(WeightFacts& f, const Node& expands) {
  const MLOperand x = expands.input(0);
  f.numbers =
      fact_of(*x.constant(), "numbers of float8e4m3/1", [&] { return are_numbers(x); }) != 0;
  if (const auto* op = expands.as<ops::dequantizeLinear>())
    f.zeros = fact_of(*op->zeroPoint.constant(), "zero points of float8e4m3/1", [&] {
                return std::ranges::any_of(op->zeroPoint.constant()->bytes(),
                                           [](std::byte b) { return b != std::byte{}; });
              }) != 0;
}

void add_facts_of_integers(WeightFacts& f, const ops::dequantizeLinear& op) {
  const MLOperand &x = op.input, &zero_point = op.zeroPoint;
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
}

/// What scales of float16 allow with differences of integers and zero points up to `most`.
enum class Float16Products : std::uint8_t { infinite, rounded, exact };
Float16Products float16_products(std::span<const Float16> scales, unsigned most) {
  constexpr std::uint32_t infinite = 65520;  // and all above
  const unsigned significant = 11u - static_cast<unsigned>(std::bit_width(most - 1));
  auto products = Float16Products::exact;
  for (const float s : scales) {
    if (!(std::abs(s) * static_cast<float>(most) < infinite)) return Float16Products::infinite;
    // A product with at most 11 significant bits is a float16: each is a multiple of 2^-24.
    const std::uint32_t dropped = (1u << (24 - significant)) - 1;
    if ((std::bit_cast<std::uint32_t>(s) & dropped) != 0) products = Float16Products::rounded;
  }
  return products;
}

WeightFacts facts_of_float16(const ops::dequantizeLinear& op, float alpha) {
  WeightFacts f;
  add_facts_of_integers(f, op);
  const unsigned range = 1u << bits_of(op.input.dataType());
  const bool has_sign = op.input.dataType() == int4 || op.input.dataType() == int8;
  const unsigned most = f.zeros || f.zero != 0 || !has_sign ? range - 1 : range / 2;
  const auto products = static_cast<Float16Products>(
      fact_of(*op.scale.constant(), layout_text("float16 products/1", most), [&] {
        const auto bytes = op.scale.constant()->bytes();
        return static_cast<std::uint64_t>(float16_products(
            {reinterpret_cast<const Float16*>(bytes.data()), bytes.size() / sizeof(Float16)},
            most));
      }));
  const bool ordinary_alpha = std::abs(alpha) >= 1e-20f && std::abs(alpha) <= 1e20f;
  f.ordinary_scales = products != Float16Products::infinite && ordinary_alpha;
  f.rounds = products == Float16Products::rounded;
  f.half_scales = alpha == 1;
  return f;
}

/// They are not true.
void forget_factors(const Constant& scales) {
  ConstantFacts& facts = *facts_of(scales);
  const std::lock_guard lock(facts.mutex);
  facts.factors = nullptr;
}

}  // namespace

std::optional<float> common_factor(std::span<const float> scales) {
  constexpr int most_apart = 30, exponent_of_one = 150;
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
  const bool all = std::ranges::all_of(scales, [&](float s) { return is_multiple(s, factor); });
  return all ? std::optional(factor) : std::nullopt;
}

std::shared_ptr<const ScaleFactors> known_factors(const Node& expands, std::size_t each) {
  ConstantFacts& facts = *facts_of(*expands.as<ops::dequantizeLinear>()->scale.constant());
  const std::lock_guard lock(facts.mutex);
  return facts.factors && facts.factors->each == each ? facts.factors : nullptr;
}

WeightFacts facts_of_weights(const Node& expands, float alpha, std::size_t scales_of_panel) {
  WeightFacts f;
  const bool is_float8 = expands.input(0).dataType() == float8e4m3;
  if (is_float8) add_facts_of_float8(f, expands);
  const auto* op = expands.as<ops::dequantizeLinear>();
  if (!op) return f;
  if (makes_float16(expands)) return facts_of_float16(*op, alpha);
  const Constant& constant = *op->scale.constant();
  std::optional<ScaleRange> range;
  const auto known_range = [&] {
    if (!range) range = range_of(floats_of(op->scale), alpha);
    return *range;
  };
  f.ordinary_scales = fact_of(constant, layout_text("ordinary scales/1", alpha),
                              [&] { return known_range().ordinary; }) != 0;
  f.half_scales = fact_of(constant, layout_text("float16 scales/1", alpha),
                          [&] { return known_range().float16; }) != 0;
  if (f.ordinary_scales && !f.half_scales && alpha == 1 && scales_of_panel > 0)
    f.byte_scales = fact_of(constant, layout_text("scales in bytes/1", scales_of_panel), [&] {
                      const std::span<const float> scales = floats_of(op->scale);
                      const auto factors = known_factors(expands, scales_of_panel);
                      if (factors && are_multiples(scales, *factors)) return true;
                      forget_factors(constant);
                      return are_bytes(scales, scales_of_panel);
                    }) != 0;
  if (!is_float8) add_facts_of_integers(f, *op);
  return f;
}

}  // namespace webnn::inline v0_1::simd
