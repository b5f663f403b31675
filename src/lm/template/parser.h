// Expressions from lexemes; the parser of statements stands on it. Private.
#pragma once

#include "src/lm/template/ast.h"
#include "src/lm/template/lexer.h"

namespace webnn::inline v0_1::lm::jinja {

class ExpressionParser {
 public:
  ExpressionParser(std::vector<Lexeme> lexemes, std::string_view label)
      : label_(label), lexemes_(std::move(lexemes)) {}

 protected:
  using Kind = Expression::Kind;

  const Lexeme& now() const { return lexemes_[at_]; }
  bool at(Lexeme::Kind kind) const { return now().kind == kind; }
  bool at_sign(std::string_view sign) const { return at(Lexeme::Kind::sign) && now().text == sign; }
  bool at_name(std::string_view name) const { return at(Lexeme::Kind::name) && now().text == name; }
  Lexeme take() { return std::move(lexemes_[at_++]); }
  bool take_sign(std::string_view sign) { return at_sign(sign) && (++at_, true); }
  bool take_name(std::string_view name) { return at_name(name) && (++at_, true); }
  void expect_sign(std::string_view sign);
  std::string expect_name();
  [[noreturn]] void stop(const std::string& message) const { refuse(message, now().line, label_); }

  ExpressionPtr expression();           // with conditions
  ExpressionPtr expression_or_tuple();  // a, b
  ExpressionPtr disjunction();          // without conditions
  ExpressionPtr filters(ExpressionPtr value);
  ExpressionPtr postfix(ExpressionPtr value);
  /// Checks how deep it is.
  ExpressionPtr made(Kind kind, std::size_t line, std::string text,
                     std::vector<ExpressionPtr> parts);
  ExpressionPtr literal(Value value);

  /// Counts how deep the parser is in itself.
  struct Nesting {
    explicit Nesting(ExpressionParser& parser);
    ~Nesting() { --parser_.nesting_; }
    ExpressionParser& parser_;
  };

  std::string_view label_;

 private:
  ExpressionPtr conjunction();
  ExpressionPtr negation();
  ExpressionPtr comparison();
  ExpressionPtr operation(std::size_t level);
  ExpressionPtr unary();
  ExpressionPtr primary();
  ExpressionPtr name_or_constant();
  ExpressionPtr list();
  ExpressionPtr dict();
  ExpressionPtr parentheses();
  ExpressionPtr subscript(ExpressionPtr value);
  ExpressionPtr test(ExpressionPtr value);
  void arguments(Expression& call);

  std::vector<Lexeme> lexemes_;
  std::size_t at_ = 0, nesting_ = 0;
};

}  // namespace webnn::inline v0_1::lm::jinja
