// A grammar as automata over bytes, one for each rule, that call each other. Private.
#pragma once

#include <bitset>

#include "src/lm/grammar/expression.h"

namespace webnn::inline v0_1::lm {

struct Automaton {
  struct ByteEdge {
    std::uint8_t first = 0, last = 0;
    std::uint32_t to = 0;
  };
  /// What the rule accepts leads to that node.
  struct Call {
    std::uint32_t rule = 0, to = 0;
  };
  struct Node {
    std::vector<ByteEdge> bytes{};
    std::vector<Call> calls{};
    bool is_final = false;  ///< the rule may end here

    /// Whether nothing but the end of the rule follows.
    bool is_end() const { return is_final && bytes.empty() && calls.empty(); }
  };

  std::vector<Node> nodes{};
  std::vector<std::uint32_t> starts{};  ///< by rule
};

/// The automata of the rules, of which every node leads to an end: what accepts no text of these
/// bytes is left out. Throws TypeError for a rule that begins with itself, for a grammar that is
/// too large, and for one that accepts no text.
Automaton automaton_of(const GrammarRules& rules,
                       const std::bitset<256>& bytes = std::bitset<256>().set());

}  // namespace webnn::inline v0_1::lm
