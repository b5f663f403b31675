#include "src/lm/sampling/weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace webnn::inline v0_1::lm {
namespace {

constexpr std::size_t parts = 2048;

bool is_better(const TokenLogit& a, const TokenLogit& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
}

}  // namespace

void keep_best(std::span<const float> logits, std::size_t count,
               std::vector<TokenLogit>& candidates) {
  constexpr float impossible = -std::numeric_limits<float>::infinity();
  if (count == 0 || count > logits.size()) count = logits.size();
  candidates.clear();
  const auto cut = [&] {
    const auto last = candidates.begin() + static_cast<std::ptrdiff_t>(count) - 1;
    std::nth_element(candidates.begin(), last, candidates.end(), is_better);
    candidates.resize(count);
  };
  // Of equal logits those before are better, so that one that equals the worst is left out.
  float worst = impossible;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!(logits[i] > worst)) continue;
    candidates.push_back({static_cast<Token>(i), logits[i]});
    if (candidates.size() != 2 * count) continue;
    cut();
    worst = candidates.back().logit;
  }
  if (candidates.size() > count) cut();
}

Weights::Weights(std::span<const TokenLogit> candidates, std::size_t logits, float temperature,
                 float least_part, bool needs_all, std::vector<std::uint64_t>& sums)
    : candidates_(candidates), temperature_(temperature), sums_(sums) {
  const auto [least, best] = std::ranges::minmax(candidates, {}, &TokenLogit::logit);
  best_ = best.logit;
  const int bits = 63 - std::bit_width(logits);
  unit_ = std::ldexp(1.0, bits);
  farthest_ = (bits + 1) * 0.69314718055994531;  // the weight is 0 there
  constexpr double margin = 1e-9;                // above the rounding of a weight
  if (!needs_all && least_part > 0)
    farthest_ = std::min(farthest_, margin - std::log(static_cast<double>(least_part)));
  const double range = std::min(distance(least), farthest_);
  parts_per_distance_ = range > 1e-9 ? parts / range : 0;
  sums_.assign(parts, 0);
  const double limit = least_part * unit_;
  for (const TokenLogit& c : candidates_) {
    const double d = distance(c);
    const std::uint64_t w = weight(d);
    sums_[part_of(d)] += w;
    total_ += w;
    if (static_cast<double>(w) >= limit) least_left_ += w;
  }
}

std::uint64_t Weights::weight(double distance) const {
  return distance > farthest_ ? 0 : static_cast<std::uint64_t>(std::exp(-distance) * unit_);
}

/// Candidates of a lower part are better.
std::size_t Weights::part_of(double distance) const {
  return static_cast<std::size_t>(
      std::min<double>(std::min(distance, farthest_) * parts_per_distance_, parts - 1));
}

Weights::Passing Weights::passing(std::uint64_t point) const {
  std::size_t part = 0;
  std::uint64_t sum = 0;
  while (part + 1 < parts && sum + sums_[part] <= point) sum += sums_[part++];
  struct Weighted {
    TokenLogit of;
    std::uint64_t weight;
  };
  std::vector<Weighted> all;
  for (const TokenLogit& c : candidates_)
    if (const double d = distance(c); part_of(d) == part) all.push_back({c, weight(d)});
  const auto is_before = [](const Weighted& a, const Weighted& b) { return is_better(a.of, b.of); };
  // Halves that the point is behind are not sorted.
  auto begin = all.begin(), end = all.end();
  constexpr std::ptrdiff_t few = 64;
  while (end - begin > few) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, is_before);
    std::uint64_t half = sum;
    for (auto i = begin; i != middle; ++i) half += i->weight;
    if (half > point) {
      end = middle;
    } else {
      sum = half;
      begin = middle;
    }
  }
  std::sort(begin, end, is_before);
  for (; begin != end; ++begin)
    if ((sum += begin->weight) > point) break;
  return {begin->of.token, sum};
}

}  // namespace webnn::inline v0_1::lm
