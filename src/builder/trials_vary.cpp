// Trials in which a name has other sizes than in all trials before.
#include <algorithm>
#include <numeric>

#include "src/builder/trial_limits.h"
#include "src/builder/trials.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t max_trials = 24;       // with those in which names are varied
constexpr std::size_t max_attempts = 3;      // to vary a name
constexpr std::size_t max_others = 16;       // names that are tried together with another one
constexpr std::uint32_t largest_alone = 16;  // size of a name, beside the smallest others

}  // namespace

bool Trials::varies(std::size_t i) const {
  return std::ranges::any_of(trials_, [&](const Trial& t) {
    return t.graph->sizes()[i] != trials_.front().graph->sizes()[i];
  });
}

/// Whether a size of it is not that of some other dimension, for each of these.
bool Trials::differs(std::size_t i) const {
  for (std::size_t j = 0; j < open_.dimensions.size(); ++j)
    if (j != i && std::ranges::all_of(trials_, [&](const Trial& t) {
          return t.graph->sizes()[i] == t.graph->sizes()[j];
        }))
      return false;
  return true;
}

/// Adds trials in which names have other sizes: those that have one size in all trials, or that of
/// another name. One name alone is changed, then with it what has to be.
void Trials::vary(const Op& op) {
  attempts_.resize(open_.dimensions.size());
  SizeSearch search(open_, evaluate_);
  const auto accepts = [&](const std::optional<DimensionSizes>& sizes) {
    if (!sizes || has(*sizes)) return false;
    auto trial = replay(*sizes, &op);
    if (trial) trials_.push_back(std::move(*trial));
    return trial.has_value();
  };
  const auto spend = [&](std::size_t replays) {
    searched_ += replays * replay_cost();
    return searched_ < max_searched && trials_.size() < max_trials;
  };
  for (std::size_t i = 0; i < open_.dimensions.size(); ++i) {
    const auto is_settled = [&] { return varies(i) && differs(i); };
    // At first also those that differ: two names that are broadcast may have been one.
    if (attempts_[i] == max_attempts || (attempts_[i] > 0 && is_settled())) continue;
    ++attempts_[i];
    const DimensionSizes usual = sizes();
    const auto changed = [&](DimensionSizes base, std::uint32_t size) {
      base[i] = bounded(size, open_.dimensions[i]);
      return base;
    };
    const auto within = [&](DimensionSizes sizes) {
      for (std::size_t n = 0; n < sizes.size(); ++n)
        sizes[n] = bounded(sizes[n], open_.dimensions[n]);
      return sizes;
    };
    // Beside larger sizes and beside small ones, for one of them may be 1, which is broadcast.
    for (const DimensionSizes& base : {usual, least()})
      for (const std::uint32_t size : {base[i] + 1, 2 * base[i], 3 * base[i], base[i] - 1})
        if (spend(1) && accepts(changed(base, size))) break;
    for (std::uint32_t size = 1; size <= largest_alone && !varies(i) && spend(1); ++size)
      accepts(changed(least(), size));
    // Names whose ratio or product an operator keeps, as reshape does, also that of a square: with
    // another one, or with all but one.
    const std::size_t most = std::min(open_.dimensions.size(), max_others);
    for (std::size_t j = 0; j < most && !varies(i); ++j) {
      if (j == i) continue;
      DimensionSizes exchanged = usual, all = usual;
      std::swap(exchanged[i], exchanged[j]);
      for (std::size_t n = 0; n < all.size(); ++n)
        if (n != j && all[n] > 1) all[n] = bounded(2 * std::uint64_t{all[n]}, open_.dimensions[n]);
      std::vector<DimensionSizes> together{all, within(exchanged)};
      for (const std::uint64_t quarters : {8, 16, 2, 1}) {
        together.push_back(changed(usual, 2 * usual[i]));
        together.back()[j] = bounded(quarters * usual[j] / 4, open_.dimensions[j]);
      }
      for (const DimensionSizes& sizes : together)
        if (!varies(i) && spend(1)) accepts(sizes);
    }
    std::vector<DimensionSizes> known;
    for (const Trial& t : trials_) known.push_back(t.graph->sizes());
    for (const std::uint32_t size : {usual[i] + 1, 2 * usual[i]})
      if (!is_settled() && spend(guided_tries / 4))
        accepts(search.find(&op, {changed(usual, size)}, known, guided_tries));
  }
}

/// The sizes of a trial that are smallest.
DimensionSizes Trials::least() const {
  const auto sum = [](const Trial& t) {
    const DimensionSizes& sizes = t.graph->sizes();
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  };
  return std::ranges::min_element(trials_, {}, sum)->graph->sizes();
}

}  // namespace webnn::inline v0_1
