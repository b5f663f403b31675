// The notation GBNF. https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md
#include <algorithm>
#include <unordered_map>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/lm/grammar/expression.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr std::size_t max_bytes = 4 << 20;
constexpr int max_depth = 128;
constexpr std::uint32_t max_count = 100'000;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    if (text.size() > max_bytes)
      refuse(format("it has {} bytes, more than {}", {text.size(), max_bytes}));
    if (valid_utf8(text) != text) refuse("it is not UTF-8");
  }

  GrammarRules run() {
    index_of("root");
    skip(true);
    while (!at_end()) read_rule();
    if (!is_defined_[0]) refuse("it has no rule root");
    for (std::size_t i = 0; i < rules_.size(); ++i)
      if (!is_defined_[i])
        refuse(format("rule {} is used, but not defined", {in_quotes(rules_[i].name)}));
    return std::move(rules_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    const auto line =
        1 + std::count(text_.begin(),
                       text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())),
                       '\n');
    raise(fail("line {}: {}", line, message), "grammar");
  }
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(std::string_view s) {
    if (!text_.substr(at_).starts_with(s)) return false;
    at_ += s.size();
    return true;
  }
  void expect(std::string_view s) {
    if (!take(s)) refuse(format("{} is expected{}", {in_quotes(s), found()}));
  }
  std::string found() const {
    if (at_end()) return " at the end";
    const std::size_t length = character_at(text_, at_).length;
    return ", not " + in_quotes(text_.substr(at_, length));
  }

  /// Spaces and comments, and lines if they may end.
  void skip(bool lines) {
    for (; !at_end(); ++at_) {
      const char c = peek();
      if (c == '#')
        while (!at_end() && peek() != '\n') ++at_;
      if (at_end() ||
          !(peek() == ' ' || peek() == '\t' || peek() == '\r' || (peek() == '\n' && lines)))
        return;
    }
  }
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  }
  std::string_view read_name() {
    const std::size_t begin = at_;
    while (is_word(peek())) ++at_;
    if (at_ == begin) refuse("the name of a rule is expected" + found());
    return text_.substr(begin, at_ - begin);
  }
  std::uint32_t index_of(std::string_view name) {
    const auto [found, is_new] = indices_.emplace(name, static_cast<std::uint32_t>(rules_.size()));
    if (is_new) rules_.push_back({std::string(name)}), is_defined_.push_back(false);
    return found->second;
  }

  void read_rule() {
    const std::string_view name = read_name();
    const std::uint32_t rule = index_of(name);
    skip(false);
    expect("::=");
    skip(true);
    if (is_defined_[rule]) refuse(format("rule {} is defined twice", {in_quotes(name)}));
    is_defined_[rule] = true;
    Expression e = read_choice(false);
    rules_[rule].expression = std::move(e);
    if (!at_end() && peek() != '\n') refuse("the end of the rule is expected" + found());
    skip(true);
  }

  Expression read_choice(bool nested) {
    if (++depth_ > max_depth) refuse(format("more than {} parentheses are nested", {max_depth}));
    std::vector<Expression> parts;
    parts.push_back(read_sequence(nested));
    while (take("|")) {
      skip(true);
      parts.push_back(read_sequence(nested));
    }
    --depth_;
    return parts.size() == 1 ? std::move(parts.front()) : expression::choice(std::move(parts));
  }

  Expression read_sequence(bool nested) {
    std::vector<Expression> parts;
    while (!at_end()) {
      const char c = peek();
      if (c == '"') {
        parts.push_back(read_text());
      } else if (c == '[') {
        parts.push_back(read_class());
      } else if (take(".")) {
        parts.push_back(expression::characters(expression::others({})));
      } else if (take("(")) {
        skip(true);
        parts.push_back(read_choice(true));
        expect(")");
      } else if (is_word(c)) {
        parts.push_back(expression::rule(index_of(read_name())));
      } else if (c == '*' || c == '+' || c == '?' || c == '{') {
        read_repetition(parts);
      } else if (c == '<' || c == '!') {
        refuse("tokens in a grammar are not supported");
      } else {
        break;
      }
      skip(nested);
    }
    return parts.size() == 1 ? std::move(parts.front()) : expression::sequence(std::move(parts));
  }

  void read_repetition(std::vector<Expression>& parts) {
    if (parts.empty())
      refuse("there is nothing to repeat before " + in_quotes(std::string(1, peek())));
    std::uint32_t least = 0, most = Expression::endless;
    if (take("+")) {
      least = 1;
    } else if (take("?")) {
      most = 1;
    } else if (take("{")) {
      skip(true);
      const bool has_least = peek() != ',';
      if (has_least) least = most = read_count();
      skip(true);
      if (take(",")) {
        skip(true);
        most = peek() == '}' ? Expression::endless : read_count();
      } else if (!has_least) {
        refuse("a number is expected" + found());
      }
      skip(true);
      expect("}");
      if (least > most)
        refuse(format("the minimum of the repetition {{{},{}}} is greater than its maximum",
                      {least, most}));
    } else {
      expect("*");
    }
    Expression e = expression::repeat(std::move(parts.back()), least, most);
    parts.back() = std::move(e);
  }
  std::uint32_t read_count() {
    const std::size_t begin = at_;
    std::uint32_t n = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at_) {
      n = n * 10 + static_cast<std::uint32_t>(peek() - '0');
      if (n > max_count) refuse(format("the repetition is greater than {}", {max_count}));
    }
    if (at_ == begin) refuse("a number is expected" + found());
    return n;
  }

  Expression read_text() {
    expect("\"");
    std::string s;
    while (peek() != '"') {
      if (at_end() || peek() == '\n') refuse("a text has no closing quote");
      append(s, read_character());
    }
    ++at_;
    return expression::text(std::move(s));
  }
  Expression read_class() {
    expect("[");
    const bool negated = take("^");
    std::vector<CharacterRange> ranges;
    while (peek() != ']') {
      if (at_end() || peek() == '\n') refuse("a [ has no closing ]");
      const char32_t first = read_character();
      char32_t last = first;
      if (peek() == '-' && !text_.substr(at_).starts_with("-]")) {
        ++at_;
        if (at_end() || peek() == '\n') refuse("a [ has no closing ]");
        last = read_character();
      }
      if (last < first) refuse("a range of characters ends before it begins");
      ranges.push_back({first, last});
    }
    ++at_;
    if (negated) return expression::characters(expression::others(std::move(ranges)));
    // Surrogates are no characters.
    return expression::characters(expression::others(expression::others(std::move(ranges))));
  }
  char32_t read_character() {
    if (!take("\\")) {
      const Character c = character_at(text_, at_);
      at_ += c.length;
      return c.value;
    }
    const char c = peek();
    ++at_;
    switch (c) {
      case 'x': return read_hex(2);
      case 'u': return read_hex(4);
      case 'U': return read_hex(8);
      case 't': return '\t';
      case 'r': return '\r';
      case 'n': return '\n';
      case '\\':
      case '"':
      case '[':
      case ']':
      case '-':
      case '^': return static_cast<char32_t>(c);
      default: --at_; refuse("an escape is expected after \\" + found());
    }
  }
  char32_t read_hex(int digits) {
    char32_t v = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      const int d = hexadecimal(peek());
      if (d < 0) refuse(format("{} hexadecimal digits are expected", {digits}));
      v = v * 16 + static_cast<char32_t>(d);
    }
    if (v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff)) refuse("an escape is not a character");
    return v;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  GrammarRules rules_{};
  std::vector<bool> is_defined_{};
  std::unordered_map<std::string, std::uint32_t> indices_{};
};

}  // namespace

GrammarRules read_gbnf(std::string_view text) { return Reader(text).run(); }

}  // namespace webnn::inline v0_1::lm
