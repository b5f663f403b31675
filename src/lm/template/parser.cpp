#include "src/lm/template/parser.h"

#include <algorithm>
#include <charconv>

#include "src/graph/text.h"

namespace webnn::inline v0_1::lm::jinja {
namespace {

constexpr std::size_t max_nesting = 100, max_expression_depth = 300;

template <class... P> std::vector<ExpressionPtr> parts_of(P... parts) {
  std::vector<ExpressionPtr> all;
  (all.push_back(std::move(parts)), ...);
  return all;
}

/// Operators with two operands, those that bind less first.
const std::vector<std::vector<std::string_view>> levels = {
    {"+", "-"}, {"~"}, {"*", "/", "//", "%"}, {"**"}};

}  // namespace

ExpressionParser::Nesting::Nesting(ExpressionParser& parser) : parser_(parser) {
  if (++parser_.nesting_ > max_nesting) {
    --parser_.nesting_;
    parser_.stop("the template is nested more than " + std::to_string(max_nesting) + " deep");
  }
}

void ExpressionParser::expect_sign(std::string_view sign) {
  if (!take_sign(sign)) stop(in_quotes(sign) + " is expected before " + in_quotes(now().text));
}
std::string ExpressionParser::expect_name() {
  if (!at(Lexeme::Kind::name)) stop("a name is expected before " + in_quotes(now().text));
  return take().text;
}

ExpressionPtr ExpressionParser::made(Kind kind, std::size_t line, std::string text,
                                     std::vector<ExpressionPtr> parts) {
  auto e = std::make_unique<Expression>();
  e->kind = kind;
  e->line = line;
  e->text = std::move(text);
  for (const ExpressionPtr& part : parts)
    if (part) e->depth = std::max(e->depth, part->depth + 1);
  e->parts = std::move(parts);
  if (e->depth > max_expression_depth)
    stop("an expression is more than " + std::to_string(max_expression_depth) + " deep");
  return e;
}
ExpressionPtr ExpressionParser::literal(Value value) {
  auto e = made(Kind::literal, now().line, {}, {});
  e->value = std::move(value);
  return e;
}

ExpressionPtr ExpressionParser::expression_or_tuple() {
  const std::size_t line = now().line;
  ExpressionPtr first = expression();
  if (!at_sign(",")) return first;
  std::vector<ExpressionPtr> items = parts_of(std::move(first));
  while (take_sign(",")) {
    if (at(Lexeme::Kind::end_block) || at_sign(")")) break;
    items.push_back(expression());
  }
  return made(Kind::tuple, line, {}, std::move(items));
}

ExpressionPtr ExpressionParser::expression() {
  const Nesting nesting(*this);
  ExpressionPtr value = disjunction();
  while (at_name("if")) {
    const std::size_t line = take().line;
    ExpressionPtr condition = disjunction();
    ExpressionPtr otherwise = take_name("else") ? expression() : nullptr;
    value = made(Kind::condition, line, {},
                 parts_of(std::move(value), std::move(condition), std::move(otherwise)));
  }
  return value;
}

ExpressionPtr ExpressionParser::disjunction() {
  ExpressionPtr left = conjunction();
  while (at_name("or")) {
    const std::size_t line = take().line;
    left = made(Kind::disjunction, line, {}, parts_of(std::move(left), conjunction()));
  }
  return left;
}
ExpressionPtr ExpressionParser::conjunction() {
  ExpressionPtr left = negation();
  while (at_name("and")) {
    const std::size_t line = take().line;
    left = made(Kind::conjunction, line, {}, parts_of(std::move(left), negation()));
  }
  return left;
}
ExpressionPtr ExpressionParser::negation() {
  if (!at_name("not")) return comparison();
  const Nesting nesting(*this);
  const std::size_t line = take().line;
  return made(Kind::operation, line, "not", parts_of(negation()));
}

ExpressionPtr ExpressionParser::comparison() {
  ExpressionPtr left = operation(0);
  ExpressionPtr all;  // a < b < c is a < b and b < c, but b is only one name or number here
  for (;;) {
    const std::size_t line = now().line;
    std::string sign;
    for (const std::string_view s : {"==", "!=", "<=", ">=", "<", ">"})
      if (take_sign(s)) sign = s;
    if (sign.empty() && take_name("in")) sign = "in";
    if (sign.empty() && at_name("not")) {
      take();
      if (!take_name("in")) stop("\"in\" is expected after \"not\"");
      sign = "not in";
    }
    if (sign.empty()) return all ? std::move(all) : std::move(left);
    if (all) stop("a chain of comparisons is not supported");
    all = made(Kind::operation, line, sign, parts_of(std::move(left), operation(0)));
  }
}

ExpressionPtr ExpressionParser::operation(std::size_t level) {
  if (level == levels.size()) return unary();
  ExpressionPtr left = operation(level + 1);
  const auto& here = levels[level];
  while (at(Lexeme::Kind::sign) && std::ranges::find(here, now().text) != here.end()) {
    Lexeme sign = take();
    left = made(Kind::operation, sign.line, std::move(sign.text),
                parts_of(std::move(left), operation(level + 1)));
  }
  return left;
}

ExpressionPtr ExpressionParser::unary() {
  if (!at_sign("-") && !at_sign("+")) return filters(postfix(primary()));
  const Nesting nesting(*this);
  Lexeme sign = take();
  ExpressionPtr value = at_sign("-") || at_sign("+") ? unary() : postfix(primary());
  return filters(
      made(Kind::operation, sign.line, std::move(sign.text), parts_of(std::move(value))));
}

ExpressionPtr ExpressionParser::primary() {
  switch (now().kind) {
    case Lexeme::Kind::name: return name_or_constant();
    case Lexeme::Kind::string: {
      ExpressionPtr value = literal({});
      std::string text;
      while (at(Lexeme::Kind::string)) text += take().text;
      value->value = Value(std::move(text));
      return value;
    }
    case Lexeme::Kind::integer: {
      std::int64_t number = 0;
      const std::string& text = now().text;
      const auto end = text.data() + text.size();
      if (const auto read = std::from_chars(text.data(), end, number);
          read.ptr != end || read.ec != std::errc())
        stop("the number " + in_quotes(text) + " is beyond 64 bits");
      ExpressionPtr value = literal(number);
      take();
      return value;
    }
    case Lexeme::Kind::floating: {
      double number = 0;
      const std::string& text = now().text;
      std::from_chars(text.data(), text.data() + text.size(), number);
      ExpressionPtr value = literal(number);
      take();
      return value;
    }
    default: break;
  }
  if (at_sign("(")) return parentheses();
  if (at_sign("[")) return list();
  if (at_sign("{")) return dict();
  stop("a value is expected before " + in_quotes(now().text));
}

ExpressionPtr ExpressionParser::name_or_constant() {
  Lexeme name = take();
  for (const auto& [word, value] : {std::pair<std::string_view, Value>("true", true),
                                    {"True", true},
                                    {"false", false},
                                    {"False", false},
                                    {"none", None{}},
                                    {"None", None{}}})
    if (name.text == word) return literal(value);
  return made(Kind::name, name.line, std::move(name.text), {});
}

ExpressionPtr ExpressionParser::parentheses() {
  const Nesting nesting(*this);
  const std::size_t line = take().line;
  if (take_sign(")")) return made(Kind::tuple, line, {}, {});
  ExpressionPtr value = expression_or_tuple();
  expect_sign(")");
  return value;
}
ExpressionPtr ExpressionParser::list() {
  const Nesting nesting(*this);
  const std::size_t line = take().line;
  std::vector<ExpressionPtr> items;
  while (!take_sign("]")) {
    items.push_back(expression());
    if (!at_sign("]")) expect_sign(",");
  }
  return made(Kind::list, line, {}, std::move(items));
}
ExpressionPtr ExpressionParser::dict() {
  const Nesting nesting(*this);
  const std::size_t line = take().line;
  std::vector<ExpressionPtr> items;
  while (!take_sign("}")) {
    items.push_back(expression());
    expect_sign(":");
    items.push_back(expression());
    if (!at_sign("}")) expect_sign(",");
  }
  return made(Kind::dict, line, {}, std::move(items));
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr value) {
  for (;;) {
    const std::size_t line = now().line;
    if (take_sign(".")) {
      std::string name = at(Lexeme::Kind::integer) ? take().text : expect_name();
      value = made(Kind::attribute, line, std::move(name), parts_of(std::move(value)));
    } else if (at_sign("[")) {
      value = subscript(std::move(value));
    } else if (at_sign("(")) {
      value = made(Kind::call, line, {}, parts_of(std::move(value)));
      arguments(*value);
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::subscript(ExpressionPtr value) {
  const Nesting nesting(*this);
  const std::size_t line = take().line;
  std::vector<ExpressionPtr> parts = parts_of(std::move(value));
  bool is_slice = false;
  const auto bound = [&] {
    parts.push_back(at_sign(":") || at_sign("]") ? nullptr : expression_or_tuple());
  };
  bound();
  while (parts.size() < 4 && take_sign(":")) {
    is_slice = true;
    bound();
  }
  expect_sign("]");
  if (!is_slice && !parts[1]) stop("an index is expected");
  if (is_slice) parts.resize(4);
  return made(is_slice ? Kind::slice : Kind::subscript, line, {}, std::move(parts));
}

void ExpressionParser::arguments(Expression& call) {
  const Nesting nesting(*this);
  expect_sign("(");
  while (!take_sign(")")) {
    if (at_sign("*") || at_sign("**")) stop("unpacked arguments are not supported");
    ExpressionPtr value = expression();
    const bool is_named = value->kind == Kind::name && take_sign("=");
    std::string name = is_named ? value->text : std::string();
    if (is_named) value = expression();
    call.depth = std::max(call.depth, value->depth + 1);
    if (is_named) call.named.emplace_back(std::move(name), std::move(value));
    else call.parts.push_back(std::move(value));
    if (!at_sign(")")) expect_sign(",");
  }
  if (call.depth > max_expression_depth)
    stop("an expression is more than " + std::to_string(max_expression_depth) + " deep");
}

ExpressionPtr ExpressionParser::filters(ExpressionPtr value) {
  for (;;) {
    if (take_sign("|")) {
      const std::size_t line = now().line;
      value = made(Kind::filter, line, expect_name(), parts_of(std::move(value)));
      if (at_sign("(")) arguments(*value);
    } else if (take_name("is")) {
      value = test(std::move(value));
    } else if (at_sign("(") || at_sign(".") || at_sign("[")) {
      value = postfix(std::move(value));
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::test(ExpressionPtr value) {
  const bool negated = take_name("not");
  const std::size_t line = now().line;
  value = made(Kind::test, line, expect_name(), parts_of(std::move(value)));
  const bool has_value = at(Lexeme::Kind::string) || at(Lexeme::Kind::integer) ||
                         at(Lexeme::Kind::floating) || at_sign("[") || at_sign("{");
  const bool is_word = at_name("else") || at_name("and") || at_name("or") || at_name("is") ||
                       at_name("if") || at_name("not") || at_name("in");
  if (at_sign("(")) {
    arguments(*value);
  } else if (has_value || (at(Lexeme::Kind::name) && !is_word)) {
    ExpressionPtr argument = postfix(primary());
    value->depth = std::max(value->depth, argument->depth + 1);
    value->parts.push_back(std::move(argument));
  }
  return negated ? made(Kind::operation, line, "not", parts_of(std::move(value)))
                 : std::move(value);
}

}  // namespace webnn::inline v0_1::lm::jinja
