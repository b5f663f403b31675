// Regular expressions of JSON schemas, for the characters of a string in JSON.
#include <algorithm>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/lm/grammar/json_text.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm::json_text {
namespace {

using Ranges = std::vector<CharacterRange>;

constexpr int max_depth = 64;
constexpr std::uint32_t max_count = 10'000;

const Ranges digit{{'0', '9'}}, word{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, {'_', '_'}},
    white{{'\t', '\r'},     {' ', ' '},       {0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200a},
          {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff}};

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {
    if (valid_utf8(text) != text) refuse("it is not UTF-8");
  }

  Expression run() {
    Expression e = read_choice(true);
    if (!at_end()) refuse("a ) closes nothing");
    return quoted(std::move(e));
  }

 private:
  [[noreturn]] void refuse(const std::string& message, ErrorName name = ErrorName::TypeError) {
    raise({format("the pattern {}: {}", {in_quotes(text_), message}), name}, "grammar");
  }
  [[noreturn]] void not_supported(const std::string& what) {
    refuse(what + " is not supported", ErrorName::NotSupportedError);
  }
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(std::string_view s) {
    if (!std::string_view(text_).substr(at_).starts_with(s)) return false;
    at_ += s.size();
    return true;
  }
  static Expression anything() {
    return expression::repeat(characters_of(expression::others({})), 0);
  }

  /// A part that is not anchored has anything before it and behind it.
  Expression read_choice(bool outer) {
    if (++depth_ > max_depth) refuse("parentheses are nested too deeply");
    std::vector<Expression> ways;
    do {
      std::vector<Expression> parts;
      const bool begins = take("^");
      if (begins && !outer) not_supported("^ in parentheses");
      if (outer && !begins) parts.push_back(anything());
      bool ends = false;
      while (!at_end() && peek() != '|' && peek() != ')' && !ends) {
        if (take("$")) {
          if (!outer) not_supported("$ in parentheses");
          if (!at_end() && peek() != '|') not_supported("$ before the end");
          ends = true;
        } else {
          parts.push_back(read_repeated());
        }
      }
      if (outer && !ends) parts.push_back(anything());
      ways.push_back(expression::sequence(std::move(parts)));
    } while (take("|"));
    --depth_;
    return expression::choice(std::move(ways));
  }

  Expression read_repeated() {
    Expression e = read_part();
    for (;;) {
      std::uint32_t least = 0, most = Expression::endless;
      if (take("*")) {
      } else if (take("+")) {
        least = 1;
      } else if (take("?")) {
        most = 1;
      } else if (peek() == '{') {
        ++at_;
        least = most = read_count();
        if (take(",")) most = peek() == '}' ? Expression::endless : read_count();
        if (!take("}")) refuse("a { has no closing }");
        if (least > most) refuse("the minimum of a repetition is greater than its maximum");
      } else {
        return e;
      }
      take("?");  // the texts are the same
      if (peek() == '*' || peek() == '+' || peek() == '?') refuse("a repetition is repeated");
      e = expression::repeat(std::move(e), least, most);
    }
  }
  std::uint32_t read_count() {
    std::uint32_t n = 0;
    const std::size_t begin = at_;
    for (; peek() >= '0' && peek() <= '9'; ++at_) {
      n = n * 10 + static_cast<std::uint32_t>(peek() - '0');
      if (n > max_count) refuse(format("a repetition is greater than {}", {max_count}));
    }
    if (begin == at_) refuse("a number is expected after a {");
    return n;
  }

  Expression read_part() {
    if (take("(")) {
      if (peek() == '?') {
        if (!take("?:")) not_supported("a group that begins with (?" + std::string(1, peek(1)));
      }
      Expression e = read_choice(false);
      if (!take(")")) refuse("a ( has no closing )");
      return e;
    }
    if (take("[")) return characters_of(read_class());
    if (take(".")) {
      return characters_of(expression::others({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}));
    }
    if (peek() == '\\') return characters_of(read_escape(false));
    if (peek() == '^') not_supported("^ after the beginning");
    if (peek() == '*' || peek() == '+' || peek() == '?' || peek() == '{')
      refuse("there is nothing to repeat");
    const Character c = character_at(text_, at_);
    at_ += c.length;
    return characters_of({{c.value, c.value}});
  }

  Ranges read_class() {
    const bool negated = take("^");
    Ranges all;
    while (!take("]")) {
      if (at_end()) refuse("a [ has no closing ]");
      Ranges first = read_class_part();
      if (peek() == '-' && peek(1) != ']' && peek(1) != '\0') {
        ++at_;
        const Ranges last = read_class_part();
        if (first.size() != 1 || last.size() != 1 || first[0].first != first[0].last ||
            last[0].first != last[0].last || first[0].first > last[0].last)
          refuse("a range of characters does not have two characters in their order");
        first[0].last = last[0].last;
      }
      all.insert(all.end(), first.begin(), first.end());
    }
    return negated ? expression::others(std::move(all)) : all;
  }
  Ranges read_class_part() {
    if (peek() == '\\') return read_escape(true);
    if (at_end()) refuse("a [ has no closing ]");
    const Character c = character_at(text_, at_);
    at_ += c.length;
    return {{c.value, c.value}};
  }

  Ranges read_escape(bool in_class) {
    ++at_;
    if (at_end()) refuse("it ends with \\");
    const Character c = character_at(text_, at_);
    at_ += c.length;
    const auto one = [](char32_t x) { return Ranges{{x, x}}; };
    switch (c.value) {
      case 'd': return digit;
      case 'D': return expression::others(digit);
      case 'w': return word;
      case 'W': return expression::others(word);
      case 's': return white;
      case 'S': return expression::others(white);
      case 'n': return one('\n');
      case 'r': return one('\r');
      case 't': return one('\t');
      case 'f': return one('\f');
      case 'v': return one('\v');
      case 'x': return one(read_hex(2));
      case 'u': return one(read_hex(4));
      case 'b':
        if (in_class) return one('\b');
        break;
      default:
        if (c.value < 0x80 && !is_letter(c.value) && !is_number(c.value)) return one(c.value);
    }
    std::string escape = "\\";
    append(escape, c.value);
    not_supported(escape);
  }
  char32_t read_hex(int count) {
    char32_t v = 0;
    for (int i = 0; i < count; ++i, ++at_) {
      const int d = hexadecimal(peek());
      if (d < 0) refuse(format("{} hexadecimal digits are expected", {count}));
      v = v * 16 + static_cast<char32_t>(d);
    }
    if (v >= 0xd800 && v <= 0xdfff) not_supported("half of a surrogate pair");
    return v;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Expression pattern(const std::string& text) { return Reader(text).run(); }

}  // namespace webnn::inline v0_1::lm::json_text
