// The order of tokens by their logits, without sorting them all. Private.
//
// Weights are integers, so that their sums do not depend on the order in which they are added: a
// choice has the result that it would have if all tokens were sorted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "webnn/lm/sampling.h"

namespace webnn::inline v0_1::lm {

/// The candidates are the `count` best tokens, or all if that is 0, in any order. Those whose logit
/// is -infinity are none.
void keep_best(std::span<const float> logits, std::size_t count,
               std::vector<TokenLogit>& candidates);

/// What the probabilities of candidates are proportional to.
class Weights {
 public:
  /// There is a candidate, and at most as many as `logits`, so that the sum of their weights is
  /// below 2^63. `needs_all`: weights below `least_part` of the best one's count, too. `sums` is
  /// memory that is kept from one token to the next.
  Weights(std::span<const TokenLogit> candidates, std::size_t logits, float temperature,
          float least_part, bool needs_all, std::vector<std::uint64_t>& sums);

  std::uint64_t total() const { return total_; }
  /// The sum of those that are at least `least_part` of the best one's.
  std::uint64_t least_left() const { return least_left_; }

  struct Passing {
    Token token = 0;
    std::uint64_t sum = 0;  ///< with its weight
  };
  /// The first token whose sum with those before it is above `point`, which is below the total.
  Passing passing(std::uint64_t point) const;

 private:
  /// How much lower a logit is than the best one, divided by the temperature.
  double distance(const TokenLogit& c) const {
    return (best_ - static_cast<double>(c.logit)) / temperature_;
  }
  std::uint64_t weight(double distance) const;
  std::size_t part_of(double distance) const;

  std::span<const TokenLogit> candidates_;
  double temperature_, best_ = 0, unit_ = 0, farthest_ = 0, parts_per_distance_ = 0;
  std::uint64_t total_ = 0, least_left_ = 0;
  std::vector<std::uint64_t>& sums_;  // of weights, by part of the range of distances
};

}  // namespace webnn::inline v0_1::lm
