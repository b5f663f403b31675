// What the instruction for pairs of bfloat16 does, one number after the other, and backends that
// use it.
#pragma once

#include <array>
#include <bit>
#include <cmath>

#include "src/kernels/simd/backend.h"
#include "tests/kernels/simd/support.h"

namespace webnn::inline v0_1::test {

inline float no_subnormal(float v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.f, v) : v;
}

/// The nearest of the two bfloat16 around v, which differ in their 16th bit.
inline float nearest_bfloat16(float v) {
  if (std::isnan(v)) return std::bit_cast<float>(std::bit_cast<std::uint32_t>(v) | 0x400000u);
  if (std::isinf(v) || no_subnormal(v) == 0) return no_subnormal(v);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(v) & 0xffff0000u;
  const auto magnitude = [](std::uint32_t b) {
    b &= 0x7fffffffu;
    return b == 0x7f800000u ? 0x1p128 : double{std::bit_cast<float>(b)};
  };
  const double below = std::abs(double{v}) - magnitude(bits),
               above = magnitude(bits + 0x10000u) - std::abs(double{v});
  const bool up = above < below || (above == below && (bits & 0x10000u) != 0);
  return std::bit_cast<float>(up ? bits + 0x10000u : bits);
}

/// The sum of the products of bfloat16 numbers, an even number of terms, added to one that is
/// there: of each pair the second product first.
inline float sum_of_pairs(float sum, std::span<const float> a, std::span<const float> b) {
  const auto add = [&](std::size_t i) {
    sum = no_subnormal(std::fma(a[i], b[i], no_subnormal(sum)));
  };
  for (std::size_t i = 0; i < a.size(); i += 2) {
    add(i + 1);
    add(i);
  }
  return sum;
}

/// The same by tiles: of each 16 pairs the first and the second products are summed by themselves.
inline float sum_of_steps(float sum, std::span<const float> a, std::span<const float> b) {
  for (std::size_t i = 0; i < a.size(); i += 32) {
    std::array<float, 2> parts{};
    for (std::size_t k = i; k < std::min(a.size(), i + 32); ++k)
      parts[k % 2] = no_subnormal(std::fma(a[k], b[k], parts[k % 2]));
    sum = no_subnormal(no_subnormal(sum) + no_subnormal(parts[0] + parts[1]));
  }
  return sum;
}
inline float sum_of_products(simd::Bfloat16Products how, float sum, std::span<const float> a,
                             std::span<const float> b) {
  return (are_tiles(how) ? sum_of_steps : sum_of_pairs)(sum, a, b);
}

/// Every way in which this machine can multiply bfloat16.
inline std::vector<simd::Bfloat16Products> ways_of_bfloat16() {
  std::vector<simd::Bfloat16Products> all;
  using enum simd::Bfloat16Products;
  if (simd::can_emulate_bfloat16()) all = {emulated, emulated_tiles};
  const auto own = simd::bfloat16_products();
  if (own == none) return all;
  all.push_back(own);
  if (own == tiles) all.push_back(instruction);
  return all;
}
inline std::shared_ptr<const Backend> in_bfloat16(simd::Bfloat16Products how) {
  return simd::make_backend({.bfloat16 = how});
}

inline bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

/// What rounding both operands adds to the error of a sum: either is off by at most one part in
/// 2^8, or by a subnormal number.
inline void allow_rounding(Sum& sum) {
  sum.inexact += sum.magnitude * (0x1p-7 + 0x1p-16) + sum.terms * 0x1p-100;
}

}  // namespace webnn::inline v0_1::test
