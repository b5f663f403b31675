#include "src/lm/grammar/json_text.h"

#include <algorithm>
#include <map>

#include "src/graph/failure.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm::json_text {
namespace {

using expression::characters;
using expression::choice;
using expression::optional;
using expression::repeat;
using expression::sequence;
using expression::text;

constexpr std::uint32_t max_digits = 15;  // which a double has exactly

Expression ref(Rule r) { return expression::rule(r); }
Expression digits(char first, char last) {
  return characters({{static_cast<char32_t>(first), static_cast<char32_t>(last)}});
}
Expression hex() { return characters({{'0', '9'}, {'a', 'f'}, {'A', 'F'}}); }

/// What stands in a string as it is.
std::vector<CharacterRange> plain() {
  return expression::others({{0, 0x1f}, {'"', '"'}, {'\\', '\\'}});
}

std::vector<CharacterRange> both(const std::vector<CharacterRange>& a,
                                 const std::vector<CharacterRange>& b) {
  std::vector<CharacterRange> none = expression::others(a);
  const auto more = expression::others(b);
  none.insert(none.end(), more.begin(), more.end());
  return expression::others(std::move(none));
}
bool has(const std::vector<CharacterRange>& ranges, char32_t c) {
  return std::ranges::any_of(ranges,
                             [&](const CharacterRange& r) { return r.first <= c && c <= r.last; });
}

std::string escape_of(char32_t c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
  }
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  return std::string("\\u00") + hexadecimal[c / 16] + hexadecimal[c % 16];
}

/// Integers without a sign from `low` to `high`, texts of the same number of digits.
Expression between(const std::string& low, const std::string& high, std::size_t at) {
  if (at == low.size()) return sequence({});
  const char a = low[at], b = high[at];
  const auto rest = static_cast<std::uint32_t>(low.size() - at - 1);
  if (low.find_first_not_of('0', at) == std::string::npos &&
      high.find_first_not_of('9', at) == std::string::npos)
    return repeat(digits('0', '9'), rest + 1, rest + 1);
  if (a == b) {
    std::vector<Expression> parts;
    parts.push_back(text(std::string(1, a)));
    parts.push_back(between(low, high, at + 1));
    return sequence(std::move(parts));
  }
  std::vector<Expression> ways;
  const auto add = [&](Expression first, Expression others) {
    std::vector<Expression> parts;
    parts.push_back(std::move(first));
    parts.push_back(std::move(others));
    ways.push_back(sequence(std::move(parts)));
  };
  const std::string nines(low.size(), '9');
  std::string zeros(low.size(), '0');
  add(text(std::string(1, a)), between(low, nines, at + 1));
  if (b - a > 1)
    add(digits(static_cast<char>(a + 1), static_cast<char>(b - 1)),
        repeat(digits('0', '9'), rest, rest));
  add(text(std::string(1, b)), between(zeros, high, at + 1));
  return choice(std::move(ways));
}
/// Integers from low to high, which are not negative.
Expression positive(std::uint64_t low, std::uint64_t high) {
  std::vector<Expression> ways;
  for (std::uint64_t first = low; first <= high;) {
    const std::string begin = std::to_string(first);
    const std::uint64_t last_of_length = std::stoull(std::string(begin.size(), '9'));
    const std::uint64_t last = std::min(high, last_of_length);
    ways.push_back(between(begin, std::to_string(last), 0));
    if (last == high) break;
    first = last + 1;
  }
  return choice(std::move(ways));
}

}  // namespace

GrammarRules rules() {
  GrammarRules all(array + 1);
  const char* names[] = {"root",    "space", "string", "character", "number",
                         "integer", "value", "object", "array"};
  for (std::size_t i = 0; i < all.size(); ++i) all[i].name = names[i];
  // A space, or a new line with its indentation.
  all[space].expression =
      choice({sequence({}), text(" "),
              sequence({text("\n"), repeat(characters({{' ', ' '}, {'\t', '\t'}}), 0, 20)})});
  // Halves of surrogate pairs are no characters.
  all[character].expression = choice(
      {characters(plain()),
       sequence(
           {text("\\"),
            choice(
                {characters({{'"', '"'},
                             {'\\', '\\'},
                             {'/', '/'},
                             {'b', 'b'},
                             {'f', 'f'},
                             {'n', 'n'},
                             {'r', 'r'},
                             {'t', 't'}}),
                 sequence(
                     {text("u"),
                      choice(
                          {sequence(
                               {characters(
                                    {{'0', '9'}, {'a', 'c'}, {'e', 'f'}, {'A', 'C'}, {'E', 'F'}}),
                                hex()}),
                           sequence({characters({{'d', 'd'}, {'D', 'D'}}), digits('0', '7')})}),
                      hex(), hex()})})})});
  all[string].expression = quoted(repeat(ref(character), 0));
  const Expression whole = choice(
      {text("0"), sequence({digits('1', '9'), repeat(digits('0', '9'), 0, max_digits - 1)})});
  all[integer].expression = sequence({optional(text("-")), whole});
  all[number].expression =
      sequence({optional(text("-")), whole,
                optional(sequence({text("."), repeat(digits('0', '9'), 1, max_digits)})),
                optional(sequence({characters({{'e', 'e'}, {'E', 'E'}}),
                                   optional(characters({{'+', '+'}, {'-', '-'}})), digits('0', '9'),
                                   optional(digits('0', '9'))}))});
  all[value].expression = choice({ref(object), ref(array), ref(string), ref(number), text("true"),
                                  text("false"), text("null")});
  const auto member = [] { return sequence({ref(string), text(":"), ref(space), ref(value)}); };
  all[object].expression =
      sequence({text("{"), ref(space),
                optional(sequence({member(), repeat(sequence({text(","), ref(space), member()}), 0),
                                   ref(space)})),
                text("}")});
  all[array].expression = list(ref(value), 0, Expression::endless);
  return all;
}

Expression quoted(Expression inside) {
  std::vector<Expression> parts;
  parts.push_back(text("\""));
  parts.push_back(std::move(inside));
  parts.push_back(text("\""));
  return sequence(std::move(parts));
}

Expression characters_of(const std::vector<CharacterRange>& ranges) {
  std::vector<Expression> ways;
  ways.push_back(characters(both(ranges, plain())));
  for (char32_t c = 0; c <= '\\'; ++c)
    if (has(ranges, c) && !has(plain(), c)) ways.push_back(text(escape_of(c)));
  return choice(std::move(ways));
}

std::string text_of(const std::string& s) {
  std::string t = "\"";
  for (const char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '"' || c == '\\') t += escape_of(byte);
    else t += c;
  }
  return t + '"';
}
std::string text_of(const Value& v) {
  switch (v.kind) {
    case Value::Kind::null: return "null";
    case Value::Kind::boolean:
    case Value::Kind::number: return v.text;
    case Value::Kind::string:
    case Value::Kind::name: return text_of(v.text);
    case Value::Kind::list: {
      std::string s = "[";
      for (const Value& item : v.items) s += (s.size() > 1 ? "," : "") + text_of(item);
      return s + ']';
    }
    case Value::Kind::object: {
      std::string s = "{";
      for (std::size_t i = 0; i + 1 < v.items.size(); i += 2)
        s += (i > 0 ? "," : "") + text_of(v.items[i].text) + ':' + text_of(v.items[i + 1]);
      return s + '}';
    }
  }
  return {};
}

namespace {

/// Characters behind a beginning that some of the names have; none of them are escaped.
Expression not_these(const std::vector<std::u32string>& names, std::size_t at) {
  std::map<char32_t, std::vector<std::u32string>> next;
  bool is_name = false;
  for (const std::u32string& n : names)
    if (n.size() > at) next[n[at]].push_back(n);
    else is_name = true;
  std::vector<Expression> ways;
  if (!is_name) ways.push_back(sequence({}));
  std::vector<CharacterRange> others = plain(), named;
  for (const auto& [c, rest] : next) {
    named.push_back({c, c});
    if (!has(plain(), c)) continue;
    std::string s;
    append(s, c);
    std::vector<Expression> parts;
    parts.push_back(text(std::move(s)));
    parts.push_back(not_these(rest, at + 1));
    ways.push_back(sequence(std::move(parts)));
  }
  ways.push_back(sequence({characters(both(others, expression::others(std::move(named)))),
                           repeat(characters(plain()), 0)}));
  return choice(std::move(ways));
}

}  // namespace

Expression other_names(const std::vector<std::string>& names) {
  std::vector<std::u32string> all;
  for (const std::string& n : names) {
    std::u32string s;
    for_each_character(n, [&](char32_t c, std::string_view) { s += c; });
    all.push_back(std::move(s));
  }
  return quoted(not_these(all, 0));
}

Expression list(Expression item, std::uint32_t least, std::uint32_t most) {
  if (most == 0) return sequence({text("["), ref(space), text("]")});
  const std::uint32_t rest = least > 0 ? least - 1 : 0;
  Expression more = repeat(sequence({text(","), ref(space), item}), rest,
                           most == Expression::endless ? most : most - 1);
  Expression items = sequence({std::move(item), std::move(more), ref(space)});
  if (least == 0) items = optional(std::move(items));
  return sequence({text("["), ref(space), std::move(items), text("]")});
}

Expression integers(std::optional<std::int64_t> least, std::optional<std::int64_t> most) {
  constexpr std::int64_t limit = 999'999'999'999'999;
  const std::int64_t low = std::max(least.value_or(-limit), -limit),
                     high = std::min(most.value_or(limit), limit);
  std::vector<Expression> ways;
  if (low <= high && high >= 0)
    ways.push_back(positive(static_cast<std::uint64_t>(std::max<std::int64_t>(low, 0)),
                            static_cast<std::uint64_t>(high)));
  if (low <= high && low < 0)
    ways.push_back(
        sequence({text("-"), positive(static_cast<std::uint64_t>(-std::min<std::int64_t>(high, -1)),
                                      static_cast<std::uint64_t>(-low))}));
  return choice(std::move(ways));
}

std::optional<Expression> formatted(const std::string& name) {
  const auto two = [](char first, char last) {  // as 0 to 2 and any digit
    return sequence({digits(first, last), digits('0', '9')});
  };
  const auto date = [&] {
    return sequence(
        {repeat(digits('0', '9'), 4, 4), text("-"),
         choice({sequence({text("0"), digits('1', '9')}), sequence({text("1"), digits('0', '2')})}),
         text("-"),
         choice({sequence({text("0"), digits('1', '9')}), text("10"),
                 sequence({text("1"), digits('1', '9')}),
                 sequence({text("2"), digits('0', '8')})})});
  };
  const auto hour = [&] {
    return choice({two('0', '1'), sequence({text("2"), digits('0', '3')})});
  };
  const auto time = [&] {
    return sequence({hour(), text(":"), two('0', '5'), text(":"), two('0', '5'),
                     optional(sequence({text("."), repeat(digits('0', '9'), 1, 6)})),
                     choice({text("Z"), sequence({characters({{'+', '+'}, {'-', '-'}}), hour(),
                                                  text(":"), two('0', '5')})})});
  };
  if (name == "date") return quoted(date());
  if (name == "time") return quoted(time());
  if (name == "date-time") return quoted(sequence({date(), text("T"), time()}));
  if (name == "uuid") {
    const auto some = [](std::uint32_t n) { return repeat(hex(), n, n); };
    return quoted(sequence({some(8), text("-"), some(4), text("-"), some(4), text("-"), some(4),
                            text("-"), some(12)}));
  }
  return std::nullopt;
}

}  // namespace webnn::inline v0_1::lm::json_text
