// Statements from lexemes.
#include <algorithm>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/lm/template/parser.h"

namespace webnn::inline v0_1::lm::jinja {
namespace {

class Parser : ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  Body run() {
    Body all = body();
    if (!at(Lexeme::Kind::end)) stop(in_quotes(now().text) + " has no beginning");
    return all;
  }

 private:
  using Kind = Statement::Kind;

  /// Up to the end, or a block that no statement begins with: "else", "endif", ...
  Body body() {
    const Nesting nesting(*this);
    Body all;
    for (;;) {
      const std::size_t line = now().line;
      if (at(Lexeme::Kind::text)) {
        all.push_back({.kind = Kind::text, .text = take().text, .line = line});
      } else if (at(Lexeme::Kind::begin_print)) {
        take();
        Statement print{.kind = Kind::print, .line = line};
        print.expressions.push_back(expression_or_tuple());
        expect(Lexeme::Kind::end_print, "}}");
        all.push_back(std::move(print));
      } else if (at(Lexeme::Kind::begin_block)) {
        take();
        if (!at(Lexeme::Kind::name)) stop("a statement is expected");
        if (is_end()) return all;
        all.push_back(statement());
      } else {
        return all;
      }
    }
  }
  bool is_end() const {
    for (const std::string_view word : {"else", "elif"})
      if (at_name(word)) return true;
    return at(Lexeme::Kind::name) && now().text.starts_with("end");
  }
  void expect(Lexeme::Kind kind, std::string_view sign) {
    if (!at(kind)) stop(in_quotes(sign) + " is expected before " + in_quotes(now().text));
    take();
  }
  void end_block() { expect(Lexeme::Kind::end_block, "%}"); }
  /// A body up to that word; its block is taken too.
  Body body_to(std::string_view end) {
    Body all = body();
    if (!take_name(end)) stop(in_quotes(end) + " is expected");
    end_block();
    return all;
  }

  Statement statement() {
    Lexeme word = take();
    Statement s{.line = word.line};
    if (word.text == "if") read_if(s);
    else if (word.text == "for") read_for(s);
    else if (word.text == "set") read_set(s);
    else if (word.text == "macro") read_macro(s);
    else if (word.text == "call") read_call(s);
    else if (word.text == "filter") read_filter(s);
    else if (word.text == "generation") read_body(s, "endgeneration");
    else if (word.text == "break" || word.text == "continue") {
      s.kind = word.text == "break" ? Kind::stop : Kind::next;
      if (loops_ == 0) stop(in_quotes(word.text) + " is outside of a loop");
      end_block();
    } else {
      raise({"line " + std::to_string(word.line) + ": the statement " + in_quotes(word.text) +
                 " is not supported",
             ErrorName::NotSupportedError},
            "chat_template", label_);
    }
    return s;
  }

  void read_body(Statement& s, std::string_view end) {
    s.kind = Kind::body;
    end_block();
    s.bodies.push_back(body_to(end));
  }
  void read_if(Statement& s) {
    s.kind = Kind::condition;
    s.expressions.push_back(expression_or_tuple());
    end_block();
    for (;;) {
      s.bodies.push_back(body());
      if (take_name("elif")) {
        if (s.bodies.size() > s.expressions.size()) stop("\"elif\" is after \"else\"");
        s.expressions.push_back(expression_or_tuple());
      } else if (take_name("endif")) {
        return end_block();
      } else if (s.bodies.size() > s.expressions.size() || !take_name("else")) {
        stop("\"endif\" is expected");
      }
      end_block();
    }
  }
  std::vector<std::string> names() {
    const bool bracket = take_sign("(");
    std::vector<std::string> all{expect_name()};
    while (take_sign(",")) all.push_back(expect_name());
    if (bracket) expect_sign(")");
    return all;
  }
  void read_for(Statement& s) {
    s.kind = Kind::loop;
    s.names = names();
    if (!take_name("in")) stop("\"in\" is expected");
    s.expressions.push_back(disjunction());
    s.expressions.push_back(take_name("if") ? disjunction() : nullptr);
    if (at_name("recursive")) stop("a recursive loop is not supported");
    end_block();
    ++loops_;
    s.bodies.push_back(body());
    --loops_;
    if (take_name("else")) {
      end_block();
      s.bodies.push_back(body());
    }
    if (!take_name("endfor")) stop("\"endfor\" is expected");
    end_block();
  }
  void read_set(Statement& s) {
    s.kind = Kind::assign;
    s.names = names();
    if (s.names.size() == 1 && take_sign(".")) s.text = std::exchange(s.names[0], expect_name());
    if (take_sign("=")) {
      s.expressions.push_back(expression_or_tuple());
      return end_block();
    }
    if (s.names.size() > 1 || !s.text.empty()) stop("\"=\" is expected");
    s.kind = Kind::assign_body;
    s.expressions.push_back(
        filters(made(Expression::Kind::name, s.line, std::string(body_name), {})));
    end_block();
    s.bodies.push_back(body_to("endset"));
  }
  void read_parameters(Statement& s) {
    expect_sign("(");
    while (!take_sign(")")) {
      s.names.push_back(expect_name());
      s.expressions.push_back(take_sign("=") ? expression() : nullptr);
      if (!at_sign(")")) expect_sign(",");
    }
  }
  /// A body that runs elsewhere: break and continue do not belong to a loop around it.
  Body body_outside_loops(std::string_view end) {
    const std::size_t loops = std::exchange(loops_, 0);
    Body body = body_to(end);
    loops_ = loops;
    return body;
  }
  void read_macro(Statement& s) {
    s.kind = Kind::macro;
    s.text = expect_name();
    read_parameters(s);
    end_block();
    s.bodies.push_back(body_outside_loops("endmacro"));
  }
  void read_call(Statement& s) {
    s.kind = Kind::call_body;
    std::vector<ExpressionPtr> defaults;
    if (at_sign("(")) read_parameters(s);
    defaults.swap(s.expressions);
    ExpressionPtr call = postfix(made(Expression::Kind::name, s.line, expect_name(), {}));
    if (call->kind != Expression::Kind::call) stop("a call is expected");
    s.expressions.push_back(std::move(call));
    for (ExpressionPtr& e : defaults) s.expressions.push_back(std::move(e));
    end_block();
    s.bodies.push_back(body_outside_loops("endcall"));
  }
  void read_filter(Statement& s) {
    s.kind = Kind::filter_body;
    std::vector<ExpressionPtr> parts;
    parts.push_back(made(Expression::Kind::name, s.line, std::string(body_name), {}));
    s.expressions.push_back(first_filter(std::move(parts), s.line));
    end_block();
    s.bodies.push_back(body_to("endfilter"));
  }
  /// "upper", "replace(a, b)|trim".
  ExpressionPtr first_filter(std::vector<ExpressionPtr> parts, std::size_t line) {
    std::string name = expect_name();
    if (at_sign("(")) {
      ExpressionPtr call = postfix(made(Expression::Kind::name, line, name, {}));
      if (call->kind != Expression::Kind::call || call->parts[0]->kind != Expression::Kind::name)
        stop("a filter is expected");
      call->kind = Expression::Kind::filter;
      call->text = std::move(name);
      call->parts[0] = std::move(parts[0]);
      return filters(std::move(call));
    }
    return filters(made(Expression::Kind::filter, line, std::move(name), std::move(parts)));
  }

  std::size_t loops_ = 0;
};

}  // namespace

Body parsed(std::string_view text, std::string_view label) {
  return Parser(lexemes_of(text, label), label).run();
}

}  // namespace webnn::inline v0_1::lm::jinja
