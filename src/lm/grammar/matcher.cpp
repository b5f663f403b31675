#include "src/lm/grammar/matcher.h"

#include <algorithm>

#include "src/graph/failure.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr std::size_t max_ways = 4096, max_seen = 65536, max_frames = 1 << 20;

std::uint64_t way(std::uint32_t node, std::uint32_t frame) {
  return std::uint64_t{node} << 32 | frame;
}
std::uint64_t hash_of(const Matcher::Ways& ways) {
  std::uint64_t h = ways.size();
  for (const std::uint64_t w : ways) h = (h ^ w) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
  return h;
}
[[noreturn]] void refuse_ways(std::size_t limit) {
  raise({format("the grammar has more than {} ways to read the text so far", {limit}),
         ErrorName::OperationError},
        "grammar");
}

}  // namespace

Matcher::Matcher(const Automaton& automaton) : a_(automaton), frames_{{}} {}

Matcher::State Matcher::start() {
  Kept to;
  add(a_.starts[0], 0, to);
  finish(to);
  return made(std::move(to));
}

std::uint32_t Matcher::pushed(std::uint32_t node, std::uint32_t below) {
  // Calls at the end of a rule need no return.
  if (a_.nodes[node].is_end()) return below;
  const auto [found, is_new] =
      frame_index_.emplace(way(node, below), static_cast<std::uint32_t>(frames_.size()));
  if (is_new) {
    if (frames_.size() == max_frames)
      raise({format("the text has more than {} different nested calls of rules", {max_frames}),
             ErrorName::OperationError},
            "grammar");
    frames_.push_back({node, below});
  }
  return found->second;
}

/// A way, with all that can be reached from it without a byte.
void Matcher::add(std::uint32_t first, std::uint32_t frame, Kept& to) {
  open_.push_back(way(first, frame));
  while (!open_.empty()) {
    const std::uint64_t w = open_.back();
    open_.pop_back();
    const auto id = static_cast<std::uint32_t>(w >> 32), below = static_cast<std::uint32_t>(w);
    const Automaton::Node& node = a_.nodes[id];
    if (node.calls.size() + node.is_final > 0) {  // others lead nowhere without a byte
      if (!seen_.emplace(w, true).second) continue;
      if (seen_.size() > max_seen) refuse_ways(max_seen);
    }
    if (!node.bytes.empty()) {
      to.ways.push_back(w);
      if (to.ways.size() > 4 * max_ways) finish(to);
    }
    for (const auto& c : node.calls) open_.push_back(way(a_.starts[c.rule], pushed(c.to, below)));
    if (!node.is_final) continue;
    if (below == 0) to.accepts = true;
    else open_.push_back(way(frames_[below].node, frames_[below].below));
  }
}

void Matcher::finish(Kept& state) {
  std::ranges::sort(state.ways);
  state.ways.erase(std::unique(state.ways.begin(), state.ways.end()), state.ways.end());
  if (state.ways.size() > max_ways) {
    open_.clear();
    seen_.clear();
    refuse_ways(max_ways);
  }
}

Matcher::State Matcher::made(Kept state) {
  seen_.clear();
  if (state.ways.empty() && !state.accepts) return dead;
  const std::uint64_t hash = hash_of(state.ways) + state.accepts;
  const auto [first, last] = index_.equal_range(hash);
  for (auto i = first; i != last; ++i)
    if (at(i->second).ways == state.ways && at(i->second).accepts == state.accepts)
      return i->second;
  const auto id = static_cast<State>(states_.size());
  Known known;
  known.ways = std::move(state.ways);
  known.accepts = state.accepts;
  states_.push_back(std::move(known));
  index_.emplace(hash, id);
  return id;
}

Matcher::State Matcher::find(const Known& known, std::uint8_t byte) const {
  if (known.all) return known.all[byte];
  for (const auto& [b, next] : known.few)
    if (b == byte) return next;
  return unknown;
}

void Matcher::keep(State state, std::uint8_t byte, State next) {
  constexpr std::size_t max_few = 8;
  Known& known = states_[static_cast<std::size_t>(state)];
  if (!known.all && known.few.size() < max_few) {
    known.few.emplace_back(byte, next);
    return;
  }
  if (!known.all) {
    known.all = std::make_unique<State[]>(256);
    std::fill_n(known.all.get(), 256, unknown);
    for (const auto& [b, s] : known.few) known.all[b] = s;
    known.few = {};
  }
  known.all[byte] = next;
}

Matcher::State Matcher::after(State state, std::uint8_t byte) {
  if (const State known = find(at(state), byte); known != unknown) return known;
  Kept to;
  open_.clear();
  seen_.clear();
  const std::size_t count = at(state).ways.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t w = at(state).ways[i];
    for (const auto& e : a_.nodes[static_cast<std::uint32_t>(w >> 32)].bytes)
      if (byte >= e.first && byte <= e.last) add(e.to, static_cast<std::uint32_t>(w), to);
  }
  finish(to);
  const State next = made(std::move(to));
  keep(state, byte, next);
  return next;
}

void Matcher::clear() {
  states_.clear();
  index_.clear();
}
Matcher::State Matcher::restored(Kept state) { return made(std::move(state)); }

}  // namespace webnn::inline v0_1::lm
