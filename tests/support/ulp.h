// How far results are from what is expected, and how far they may be.
#pragma once

#include "tests/support/tensor.h"

namespace webnn::inline v0_1::test {

/// A result passes when it is equal, within so many units in the last place, or within the
/// absolute distance.
struct Tolerance {
  double ulp = 0;
  double absolute = 0;

  /// The tolerance of several operators in a row.
  Tolerance operator+(Tolerance other) const {
    return {ulp + other.ulp, absolute + other.absolute};
  }
};

/// Units in the last place between two values, as the W3C tests count them: float32 in
/// sign-magnitude order, narrower floats as the difference of the bit patterns, integers their
/// difference. +0 and -0 are 0 apart, and so are two NaN; a NaN is infinitely far from a number.
double ulp_distance(float a, float b);
double ulp_distance(Float16 a, Float16 b);
double ulp_distance(BFloat16 a, BFloat16 b);
double ulp_distance(Float8E4M3 a, Float8E4M3 b);
double ulp_distance(std::int64_t a, std::int64_t b);
double ulp_distance(std::uint64_t a, std::uint64_t b);

/// What is wrong with a result, or nothing: data type, shape, or the first elements out of
/// tolerance and how many there are.
std::string difference(const Tensor& actual, const Tensor& expected, Tolerance tolerance);

}  // namespace webnn::inline v0_1::test
