#include "src/quantization/range.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace webnn::inline v0_1 {
namespace {

/// Beyond it, sums of a few values and their quotients by scales are no longer numbers of float32.
constexpr double largest_value = 1e30;

std::size_t bin_of(double share) {
  const double at = share * static_cast<double>(Distribution::bins);
  return at > 0 ? std::min(static_cast<std::size_t>(at), Distribution::bins - 1) : 0;
}

double share_of(std::size_t edge) {
  return static_cast<double>(edge) / static_cast<double>(Distribution::bins);
}

ValueRange percentile_of(const Distribution& d, double percentile) {
  const std::span<const std::uint64_t> counts = d.values();
  std::uint64_t total = 0;
  for (std::uint64_t n : counts) total += n;
  const double cut = (1 - percentile / 100) / 2 * static_cast<double>(total);
  std::size_t first = 0, last = counts.size();
  for (std::uint64_t below = counts[0]; !(static_cast<double>(below) > cut);)
    below += counts[++first];
  for (std::uint64_t above = counts[last - 1]; !(static_cast<double>(above) > cut);)
    above += counts[--last - 1];
  const double width = d.high() - d.low();
  return {d.low() + width * share_of(first),
          last == counts.size() ? d.high() : d.low() + width * share_of(last)};
}

/// The Kullback-Leibler divergence of the first bins, with all other magnitudes in the last of
/// them, from the same bins without these in so many steps; infinite where that has no element in a
/// bin which has some.
double divergence(std::span<const std::uint64_t> all, std::size_t used, std::size_t steps,
                  std::uint64_t outside, std::uint64_t inside) {
  if (inside == 0) return HUGE_VAL;
  const auto total = static_cast<double>(inside + outside);
  double sum = 0;
  for (std::size_t s = 0; s < steps; ++s) {
    const std::size_t begin = s * used / steps, end = (s + 1) * used / steps;
    std::uint64_t count = 0, filled = 0;
    for (std::size_t i = begin; i < end; ++i) count += all[i], filled += all[i] != 0;
    const double q = static_cast<double>(count) /
                     static_cast<double>(std::max<std::uint64_t>(filled, 1)) /
                     static_cast<double>(inside);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t n = all[i] + (i + 1 == used ? outside : 0);
      if (n == 0) continue;
      if (all[i] == 0) return HUGE_VAL;
      const double p = static_cast<double>(n) / total;
      sum += p * std::log(p / q);
    }
  }
  return sum;
}

/// The magnitudes in fewer bins, a power of two of them, where they are too few for all.
std::vector<std::uint64_t> filled_bins(const Distribution& d, std::uint64_t total) {
  constexpr std::uint64_t least_average = 16;
  std::size_t count = Distribution::bins;
  while (count > 1 && count * least_average > total) count /= 2;
  std::vector<std::uint64_t> bins(count);
  for (std::size_t i = 0; i < Distribution::bins; ++i)
    bins[i * count / Distribution::bins] += d.magnitudes()[i];
  // Every scale has 0 exactly, and many elements behind a relu are 0.
  if (count > 1) bins[0] = bins[1];
  return bins;
}

ValueRange entropy_of(const Distribution& d, bool symmetric) {
  const std::size_t steps = d.low() < 0 || symmetric ? 128 : 256;
  std::uint64_t inside = 0, total = 0;
  for (std::uint64_t n : d.magnitudes()) total += n;
  const std::vector<std::uint64_t> counts = filled_bins(d, total);
  if (counts.size() <= steps) return {d.low(), d.high()};
  total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  for (std::size_t i = 0; i < steps; ++i) inside += counts[i];
  double least = HUGE_VAL;
  std::size_t best = counts.size();
  for (std::size_t used = steps; used <= counts.size(); ++used) {
    if (used > steps) inside += counts[used - 1];
    const double now = divergence(counts, used, steps, total - inside, inside);
    if (now < least) least = now, best = used;
  }
  const double t = d.largest() * static_cast<double>(best) / static_cast<double>(counts.size());
  return {std::max(d.low(), -t), std::min(d.high(), t)};
}

}  // namespace

void Distribution::add_to_bounds(std::span<const float> values) {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  bool finite = true;
  for (float v : values) {
    low = std::min(low, v);
    high = std::max(high, v);
    finite &= std::abs(v) <= static_cast<float>(largest_value);
  }
  finite_ &= finite;
  low_ = std::min(low_, double{low});
  high_ = std::max(high_, double{high});
}

void Distribution::add_to_bins(std::span<const float> values) {
  if (!finite_) return;
  values_.resize(bins);
  magnitudes_.resize(bins);
  const double width = high_ - low_, most = largest();
  for (float v : values) {
    ++values_[width > 0 ? bin_of((double{v} - low_) / width) : 0];
    ++magnitudes_[most > 0 ? bin_of(std::abs(double{v}) / most) : 0];
  }
}

ValueRange range_of(const Distribution& d, const QuantizationOptions& options) {
  if (!d.seen()) return {};
  ValueRange range{d.low(), d.high()};
  if (options.calibration != CalibrationMethod::min_max && !d.values().empty() && d.largest() > 0)
    range = options.calibration == CalibrationMethod::percentile
                ? percentile_of(d, options.percentile)
                : entropy_of(d, options.symmetric);
  range.include({0, 0});
  return range;
}

ScaleAndZero scale_of(const ValueRange& range, MLOperandDataType type, bool symmetric) {
  const double low = type == int8 ? -128 : 0, high = low + 255;
  ScaleAndZero s{.type = type};
  const double middle = low + 128;
  const double steps =
      symmetric ? std::max(-range.low, range.high) / 127 : (range.high - range.low) / 255;
  if (static_cast<float>(steps) >= std::numeric_limits<float>::min())
    s.scale = static_cast<float>(steps);
  const double zero = symmetric ? middle : std::nearbyint(low - range.low / double{s.scale});
  s.zero = static_cast<std::int32_t>(std::clamp(zero, low, high));
  return s;
}

}  // namespace webnn::inline v0_1
