// Ranges and scales, against a second computation of each.
#include "src/quantization/range.h"

#include <cmath>
#include <random>

#include "tests/support/catch.h"

using namespace webnn;

namespace {

std::vector<float> bell(std::size_t n, double center, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> v(n);
  for (float& x : v) {
    double sum = center;  // of twelve: the distributions of libraries differ
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 8) / (1 << 24) - 0.5;
    x = static_cast<float>(sum);
  }
  return v;
}

Distribution distribution_of(const std::vector<float>& v) {
  Distribution d;
  const std::span<const float> all(v);
  d.add_to_bounds(all.first(v.size() / 3));
  d.add_to_bounds(all.subspan(v.size() / 3));
  d.add_to_bins(all.first(v.size() / 2));
  d.add_to_bins(all.subspan(v.size() / 2));
  return d;
}

/// The edges of the bins that the elements are in which are left when those farthest outside go.
ValueRange percentile_by_sorting(std::vector<float> v, double percentile) {
  std::sort(v.begin(), v.end());
  const double low = double{v.front()}, width = double{v.back()} - low, bins = 2048;
  const double cut = (100 - percentile) / 200 * static_cast<double>(v.size());
  const auto gone = static_cast<std::size_t>(std::floor(cut));
  const double first = std::floor((double{v[gone]} - low) / width * bins);
  const double last =
      std::min(bins - 1, std::floor((double{v[v.size() - 1 - gone]} - low) / width * bins));
  return {std::min(0.0, low + width * (first / bins)),
          std::max(0.0, last == bins - 1 ? double{v.back()} : low + width * ((last + 1) / bins))};
}

/// The magnitude with the least divergence, from whole arrays of probabilities.
double magnitude_by_entropy(const std::vector<float>& v, std::size_t steps) {
  double most = 0;
  for (float x : v) most = std::max(most, std::abs(double{x}));
  std::size_t bins = 2048;
  while (bins * 16 > v.size()) bins /= 2;
  if (bins <= steps) return most;
  std::vector<double> counts(bins);
  for (float x : v)
    counts[std::min<std::size_t>(2047,
                                 static_cast<std::size_t>(std::abs(double{x}) / most * 2048)) *
           bins / 2048]++;
  counts[0] = counts[1];
  double least = INFINITY, best = most;
  for (std::size_t used = steps; used <= bins; ++used) {
    std::vector<double> p(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(used)),
        q(used);
    for (std::size_t i = used; i < bins; ++i) p.back() += counts[i];
    std::vector<std::size_t> step_of(used);
    for (std::size_t s = 0; s < steps; ++s)
      for (std::size_t i = s * used / steps; i < (s + 1) * used / steps; ++i) step_of[i] = s;
    std::vector<double> sums(steps), filled(steps);
    for (std::size_t i = 0; i < used; ++i)
      sums[step_of[i]] += counts[i], filled[step_of[i]] += counts[i] > 0;
    double of_p = 0, of_q = 0, divergence = 0;
    for (std::size_t i = 0; i < used; ++i) {
      q[i] = counts[i] > 0 ? sums[step_of[i]] / filled[step_of[i]] : 0;
      of_p += p[i];
      of_q += q[i];
    }
    for (std::size_t i = 0; i < used; ++i)
      if (p[i] > 0) divergence += p[i] / of_p * std::log(p[i] / of_p * of_q / q[i]);
    if (divergence < least)
      least = divergence, best = most * static_cast<double>(used) / static_cast<double>(bins);
  }
  return best;
}

}  // namespace

TEST_CASE("quantize: the range from the least to the largest element, and 0") {
  CHECK(range_of(distribution_of({1, 2, -3, 0.5f}), {}).low == -3);
  CHECK(range_of(distribution_of({1, 2, -3, 0.5f}), {}).high == 2);
  CHECK(range_of(distribution_of({5, 7, 6}), {}).low == 0);
  CHECK(range_of(distribution_of({-5, -7, -6}), {}).high == 0);
  CHECK(range_of(Distribution(), {}).high == 0);
  CHECK(distribution_of({1, 2, 3}).is_finite());
  for (float v : {NAN, HUGE_VALF, -HUGE_VALF, 2e30f})
    CHECK_FALSE(distribution_of({1, v, 3}).is_finite());
}

TEST_CASE("quantize: percentiles are those of sorted elements, to a bin") {
  for (std::uint32_t seed : {1u, 2u, 3u})
    for (double center : {0.0, 1.5, 9.0})
      for (double percentile : {99.0, 99.9, 99.99, 100.0, 60.0}) {
        CAPTURE(seed, center, percentile);
        const std::vector<float> v = bell(5000, center, seed);
        const ValueRange range =
            range_of(distribution_of(v),
                     {.calibration = CalibrationMethod::percentile, .percentile = percentile});
        const ValueRange expected = percentile_by_sorting(v, percentile);
        CHECK(std::abs(range.low - expected.low) < 1e-9);
        CHECK(std::abs(range.high - expected.high) < 1e-9);
      }
}

TEST_CASE("quantize: the range of the least divergence") {
  for (const std::size_t count : {50000u, 20000u, 1500u})
    for (const bool negative : {true, false})
      for (const bool symmetric : {true, false}) {
        CAPTURE(count, negative, symmetric);
        std::vector<float> v = bell(count, 0, 1);
        v.resize(count + 1000);  // and zeros
        v.push_back(25);         // far outside
        for (float& x : v) x = negative ? x : std::abs(x);
        const Distribution d = distribution_of(v);
        const ValueRange range =
            range_of(d, {.symmetric = symmetric, .calibration = CalibrationMethod::entropy});
        const double t = magnitude_by_entropy(v, negative || symmetric ? 128 : 256);
        const bool enough = count == 50000 || (count == 20000 && (negative || symmetric));
        if (enough) CHECK(t < 20);  // the one outside is given up
        else CHECK(t == 25);        // its bins are too few, or the steps as wide as the others
        CHECK(std::abs(range.high - t) < 1e-9);
        CHECK(std::abs(range.low - (negative ? std::max(d.low(), -t) : 0)) < 1e-9);
      }
}

TEST_CASE("quantize: the scale and the zero point of a range") {
  CHECK(scale_of({-1, 3}, uint8, false) == ScaleAndZero{uint8, 4 / 255.f, 64});
  CHECK(scale_of({-1, 3}, int8, false) == ScaleAndZero{int8, 4 / 255.f, -64});
  CHECK(scale_of({-1, 3}, uint8, true) == ScaleAndZero{uint8, 3 / 127.f, 128});
  CHECK(scale_of({-1, 3}, int8, true) == ScaleAndZero{int8, 3 / 127.f, 0});
  CHECK(scale_of({0, 255.0 / 256}, int8, false) == ScaleAndZero{int8, 1 / 256.f, -128});
  CHECK(scale_of({-1, 127.0 / 128}, int8, false) == ScaleAndZero{int8, 1 / 128.f, 0});
  CHECK(scale_of({0, 0}, uint8, false) == ScaleAndZero{uint8, 1, 0});
  CHECK(scale_of({-2, 0}, uint8, false).zero == 255);
  CHECK(scale_of({0, 1e-44}, uint8, false).scale == 1);  // no scale below the normal numbers
}
