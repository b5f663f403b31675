// What the rules of a grammar are made of. Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace webnn::inline v0_1::lm {

/// Characters from the first to the last one.
struct CharacterRange {
  char32_t first = 0, last = 0;
};

struct Expression {
  enum class Kind : std::uint8_t { text, characters, sequence, choice, repeat, rule };

  Kind kind = Kind::sequence;
  std::string text{};                    ///< text: UTF-8
  std::vector<CharacterRange> ranges{};  ///< characters: one of them
  std::vector<Expression> parts{};       ///< of a sequence or choice; what is repeated
  std::uint32_t least = 0, most = 0;     ///< repeat
  std::uint32_t rule = 0;                ///< its index

  static constexpr std::uint32_t endless = 0xffff'ffff;
};

namespace expression {

inline Expression text(std::string s) {
  return {.kind = Expression::Kind::text, .text = std::move(s)};
}
inline Expression characters(std::vector<CharacterRange> ranges) {
  return {.kind = Expression::Kind::characters, .ranges = std::move(ranges)};
}
inline Expression sequence(std::vector<Expression> parts) {
  return {.kind = Expression::Kind::sequence, .parts = std::move(parts)};
}
inline Expression choice(std::vector<Expression> parts) {
  return {.kind = Expression::Kind::choice, .parts = std::move(parts)};
}
inline Expression repeat(Expression part, std::uint32_t least,
                         std::uint32_t most = Expression::endless) {
  Expression e{.kind = Expression::Kind::repeat, .least = least, .most = most};
  e.parts.push_back(std::move(part));
  return e;
}
inline Expression optional(Expression part) { return repeat(std::move(part), 0, 1); }
inline Expression rule(std::uint32_t index) {
  return {.kind = Expression::Kind::rule, .rule = index};
}

/// The characters that are in none of the ranges, but for surrogates.
std::vector<CharacterRange> others(std::vector<CharacterRange> ranges);
/// In order, without gaps or overlaps of what is next to each other.
std::vector<CharacterRange> merged(std::vector<CharacterRange> ranges);

}  // namespace expression

struct GrammarRule {
  std::string name{};
  Expression expression{};
};
/// The first rule is the root.
using GrammarRules = std::vector<GrammarRule>;

/// Rules of the notation GBNF of llama.cpp, the rule "root" first. Throws TypeError, with the line.
GrammarRules read_gbnf(std::string_view text);
/// Rules of the JSON texts that a schema accepts. Throws TypeError for what is no schema, and
/// NotSupportedError, which names it, for a keyword that is not supported.
GrammarRules rules_of_schema(std::string_view schema);

}  // namespace webnn::inline v0_1::lm
