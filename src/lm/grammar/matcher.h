// Texts along an automaton, byte by byte. Private.
#pragma once

#include <memory>
#include <unordered_map>

#include "src/lm/grammar/automaton.h"

namespace webnn::inline v0_1::lm {

/// Makes states when they are first reached, and keeps them: a byte in a known state costs a look
/// into a table. A state is a set of ways to read the text so far: nodes, each with the calls that
/// it has to return to.
class Matcher {
 public:
  /// An index. States are valid until clear() or reset().
  using State = std::int32_t;
  static constexpr State dead = -1;

  /// The automaton lives longer.
  explicit Matcher(const Automaton& automaton);

  State start();
  /// The state after a byte. Throws OperationError where there are too many ways to read a text, or
  /// calls are nested too deeply.
  State after(State state, std::uint8_t byte);
  /// Whether the text may end here.
  bool accepts(State state) const { return at(state).accepts; }
  /// Whether no byte can follow.
  bool is_end(State state) const { return at(state).ways.empty(); }

  using Ways = std::vector<std::uint64_t>;  // node and frame
  struct Kept {
    Ways ways{};
    bool accepts = false;
  };
  /// A state for reset().
  Kept kept(State state) const { return {at(state).ways, at(state).accepts}; }
  /// Forgets all states. What kept() has returned is a state again.
  void clear();
  State restored(Kept state);
  std::size_t size() const { return states_.size(); }

 private:
  struct Frame {
    std::uint32_t node = 0, below = 0;
  };
  struct Known {
    Ways ways{};
    bool accepts = false;
    std::vector<std::pair<std::uint8_t, State>> few{};
    std::unique_ptr<State[]> all{};  // of 256, when they are many
  };
  static constexpr State unknown = -2;

  const Known& at(State s) const { return states_[static_cast<std::size_t>(s)]; }
  State find(const Known& known, std::uint8_t byte) const;
  void keep(State state, std::uint8_t byte, State next);
  State made(Kept state);
  std::uint32_t pushed(std::uint32_t node, std::uint32_t below);
  void add(std::uint32_t node, std::uint32_t frame, Kept& to);
  void finish(Kept& state);

  const Automaton& a_;
  std::vector<Known> states_{};
  std::unordered_multimap<std::uint64_t, State> index_{};  // by hash
  std::vector<Frame> frames_{};                            // the first one is below all
  std::unordered_map<std::uint64_t, std::uint32_t> frame_index_{};
  std::vector<std::uint64_t> open_{};
  std::unordered_map<std::uint64_t, bool> seen_{};
};

}  // namespace webnn::inline v0_1::lm
