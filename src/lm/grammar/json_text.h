// Parts of JSON texts as expressions. Private.
#pragma once

#include <optional>

#include "src/formats/common/value.h"
#include "src/lm/grammar/expression.h"

namespace webnn::inline v0_1::lm::json_text {

using formats::Value;

/// Rules that all schemas have in common, by their places in the list that begins with the root.
enum Rule : std::uint32_t { root, space, string, character, number, integer, value, object, array };
/// All of these, the root of which is empty.
GrammarRules rules();

/// A string in quotes of characters of these ranges, as JSON writes them.
Expression characters_of(const std::vector<CharacterRange>& ranges);
Expression quoted(Expression characters);
/// The text of a value, as short as it can be written.
std::string text_of(const Value& value);
/// A string in quotes.
std::string text_of(const std::string& s);
/// Names, in quotes, that are none of these.
Expression other_names(const std::vector<std::string>& names);
/// The items, none of which is empty, in brackets and with commas: at least and at most so many.
Expression list(Expression item, std::uint32_t least, std::uint32_t most);
/// Integers in a range, without bounds where there is none.
Expression integers(std::optional<std::int64_t> least, std::optional<std::int64_t> most);
/// Dates, times and the like; nothing for other formats.
std::optional<Expression> formatted(const std::string& name);
/// A string in quotes that a regular expression of ECMAScript accepts. Throws TypeError for what is
/// none, and NotSupportedError for what is not supported.
Expression pattern(const std::string& text);

}  // namespace webnn::inline v0_1::lm::json_text
