// A template after parsing. Private.
#pragma once

#include "src/lm/template/value.h"

namespace webnn::inline v0_1::lm::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
  enum class Kind {
    literal,      // value
    name,         // text
    attribute,    // parts[0].text
    subscript,    // parts[0][parts[1]]
    slice,        // parts[0][parts[1]:parts[2]:parts[3]]; those that are absent are null
    call,         // parts[0](parts[1] ..., named)
    filter,       // parts[0] | text(parts[1] ..., named)
    test,         // parts[0] is text(parts[1] ...)
    operation,    // text: "+", "not", "in", "-" with one part, ...
    conjunction,  // and
    disjunction,  // or
    condition,    // parts[0] if parts[1] else parts[2], which may be null
    list,         // parts
    tuple,
    dict  // parts: key, value, ...
  };
  Kind kind = Kind::literal;
  std::string text{};
  Value value{};
  std::vector<ExpressionPtr> parts{};
  std::vector<std::pair<std::string, ExpressionPtr>> named{};
  std::size_t line = 0, depth = 1;
};

struct Statement;
using Body = std::vector<Statement>;

struct Statement {
  enum class Kind {
    text,         // text
    print,        // expressions[0]
    condition,    // each expression with its body; one body more is the else
    loop,         // names in expressions[0], if expressions[1]; bodies: each, else
    assign,       // names = expressions[0], or text.names[0] = expressions[0]
    assign_body,  // names[0] = the text of bodies[0], with the filters of expressions[0]
    macro,        // text(names), with default values in expressions, which may be null
    call_body,    // a call, expressions[0], with bodies[0] as its caller
    filter_body,  // expressions[0] of the text of bodies[0]
    body,         // bodies[0]
    stop,         // break
    next          // continue
  };
  Kind kind = Kind::text;
  std::string text{};
  std::vector<std::string> names{};
  std::vector<ExpressionPtr> expressions{};
  std::vector<Body> bodies{};
  std::size_t line = 0;
};

/// The name under which a filter of a body finds the text.
inline constexpr std::string_view body_name = " body";

/// Throws DataError with the line, NotSupportedError for a statement beyond the subset.
Body parsed(std::string_view text, std::string_view label);

}  // namespace webnn::inline v0_1::lm::jinja
