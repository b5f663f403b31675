#include "src/formats/text/parser.h"

#include <charconv>

#include "src/formats/text/types.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::text {

using formats::Value;
using Kind = Token::Kind;

Parser::Parser(const Source& source, std::size_t offset) : source_(source), lexer_(source, offset) {
  take();
}

Token Parser::take() {
  Token taken = next_;
  name_comment_.reset();
  for (next_ = lexer_.next(); next_.kind == Kind::comment; next_ = lexer_.next()) {
    // `#: "x:0"`; other comments say nothing to the reader.
    std::string_view text = next_.text;
    if (name_comment_ || text.substr(0, 2) != "#:") continue;
    text.remove_prefix(std::min(text.find_first_not_of(" \t", 2), text.size()));
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') continue;
    name_comment_ = string_value(text, true);
  }
  return taken;
}

std::optional<std::string> Parser::name_comment() { return std::exchange(name_comment_, {}); }

void Parser::unexpected(std::string_view wanted) const {
  const std::string found =
      next_.kind == Kind::end ? "the text ends" : "there is " + in_quotes(next_.text, 40);
  source_.refuse(next_.offset, fail("{} where {} is expected", found, wanted));
}

bool Parser::accept(char mark) {
  if (!next_.is(mark)) return false;
  take();
  return true;
}
void Parser::expect(char mark) {
  if (!accept(mark)) unexpected('"' + std::string(1, mark) + '"');
}

std::string Parser::string() {
  if (next_.kind != Kind::string) unexpected("a string");
  return string_value(take().text);
}

std::uint32_t Parser::integer() {
  std::uint32_t v = 0;
  const std::string_view text = next_.text;
  const char* end = text.data() + text.size();
  if (next_.kind != Kind::number) unexpected("a number");
  const auto [after, error] = std::from_chars(text.data(), end, v);
  if (error != std::errc() || after != end)
    source_.refuse(next_.offset, fail("{} is not an integer from 0 to 4294967295", text));
  take();
  return v;
}

Token Parser::name() {
  if (next_.kind != Kind::identifier) unexpected("a name");
  return take();
}

Header Parser::header() {
  if (!next_.is("webnn_graph")) unexpected("\"webnn_graph\"");
  take();
  Header h;
  h.name = string();
  const Token version = next_;
  std::string number(name().text);
  if (number == "v" && next_.kind == Kind::number) number += take().text;
  if (number != "v1" && number != "v2")
    source_.refuse(version.offset,
                   fail("version {} is not one that can be read: v1, v2", in_quotes(number)));
  if (next_.is("@quantized")) {
    take();
    h.quantized = true;
  }
  expect('{');
  return h;
}

Block Parser::block() {
  if (accept('}')) {
    if (next_.kind != Kind::end) unexpected("the end of the text");
    return Block::end;
  }
  constexpr std::pair<std::string_view, Block> blocks[] = {{"inputs", Block::inputs},
                                                           {"consts", Block::consts},
                                                           {"nodes", Block::nodes},
                                                           {"outputs", Block::outputs}};
  for (const auto& [word, block] : blocks)
    if (next_.kind == Kind::identifier && next_.is(word)) {
      take();
      expect('{');
      return block;
    }
  unexpected("inputs, consts, nodes, outputs or \"}\"");
}

bool Parser::has_item() {
  if (next_.kind == Kind::end) unexpected("\"}\"");
  return !accept('}');
}

void Parser::skip_block() {
  for (std::size_t depth = 1; depth > 0; take()) {
    if (next_.kind == Kind::end) unexpected("\"}\"");
    depth += next_.is('{');
    depth -= next_.is('}');
  }
}

Type Parser::type() {
  Type t;
  const auto dataType = type_named(next_.text);
  if (!dataType || next_.kind != Kind::identifier) unexpected("a data type: " + type_names());
  take();
  t.dataType = *dataType;
  expect('[');
  while (!next_.is(']')) {
    if (!t.shape.empty()) expect(',');
    const std::size_t offset = next_.offset;
    Dimension d;
    if (next_.is("dyn") || next_.kind == Kind::string) d = open_dimension();
    else d.size = integer();
    if (d.size == 0 || d.size > 0x7fffffff)
      source_.refuse(offset, fail("the dimension ({}) is not from 1 to 2147483647", d.size));
    if (t.shape.size() == max_rank)
      source_.refuse(offset, fail("there are more than {} dimensions", max_rank));
    t.shape.push_back(std::move(d));
  }
  expect(']');
  return t;
}

/// `dyn("batch", 8)` with its maximum, and its minimum behind that, or `"batch"` without bounds.
Dimension Parser::open_dimension() {
  const std::size_t offset = next_.offset;
  Dimension d{0x7fffffff};
  if (next_.is("dyn")) {
    take();
    expect('(');
    d.name = string();
    expect(',');
    d.size = integer();
    if (accept(',')) d.min_size = integer();
    expect(')');
  } else {
    d.name = string();
  }
  if (d.name->empty()) source_.refuse(offset, fail("the name of the dimension is empty"));
  if (d.min_size > d.size && d.size > 0)
    source_.refuse(offset, fail("the minimum ({}) of dimension {} is greater than its maximum ({})",
                                d.min_size, in_quotes(*d.name), d.size));
  return d;
}

void Parser::end_declaration() { expect(';'); }

Token Parser::output() {
  const Token name = this->name();
  auto comment = name_comment();
  if (!accept(',')) accept(';');
  if (!name_comment_) name_comment_ = std::move(comment);
  return name;
}

Value Parser::value(std::size_t depth) {
  if (depth > max_value_depth)
    source_.refuse(next_.offset, fail("values are nested more than {} deep", max_value_depth));
  if (++values_ > max_statement_values)
    source_.refuse(next_.offset,
                   fail("the operator has more than {} values", max_statement_values));
  const Token first = next_;
  const auto as = [&](Value v) {
    v.offset = first.offset;
    return v;
  };
  if (first.is('[')) return as(list(depth));
  if (first.is('{')) return as(object(depth));
  if (first.kind == Kind::string) return as(Value::string(string()));
  if (first.kind == Kind::number) return as(Value::number(std::string(take().text)));
  if (first.kind != Kind::identifier) unexpected("a value");
  take();
  if (first.is("null")) return as({});
  if (first.is("true") || first.is("false")) return as(Value::boolean(first.is("true")));
  if (first.is("dyn") && next_.is('(')) return as(dynamic_dimension());
  Value name = Value::string(std::string(first.text));
  name.kind = Value::Kind::name;
  return as(std::move(name));
}

Value Parser::list(std::size_t depth) {
  Value all = Value::list();
  expect('[');
  while (!next_.is(']')) {
    if (!all.items.empty()) expect(',');
    all.items.push_back(value(depth + 1));
  }
  expect(']');
  return all;
}

Value Parser::object(std::size_t depth) {
  Value all = Value::object();
  expect('{');
  while (!next_.is('}')) {
    if (!all.items.empty()) expect(',');
    std::string key = next_.kind == Kind::string ? string() : std::string(name().text);
    expect(':');
    all.set(std::move(key), value(depth + 1));
  }
  expect('}');
  return all;
}

/// A dimension as an object, which is its other form: {name: "batch", maxSize: 8}
Value Parser::dynamic_dimension() {
  Value d = Value::object();
  expect('(');
  d.set("name", Value::string(string()));
  expect(',');
  d.set("maxSize", Value::number(std::uint64_t{integer()}));
  if (accept(',')) d.set("minSize", Value::number(std::uint64_t{integer()}));
  expect(')');
  return d;
}

Argument Parser::argument() {
  Argument a{{}, {}, next_.offset};
  a.value = value(1);
  if (a.value.kind == Value::Kind::name && accept('=')) {
    a.name = source_.text.substr(a.offset, a.value.text.size());
    a.value = value(1);
  }
  return a;
}

Statement Parser::statement() {
  Statement s;
  values_ = 0;
  if (accept('[')) {
    do s.results.push_back(name());
    while (accept(','));
    expect(']');
  } else {
    s.results.push_back(name());
  }
  expect('=');
  s.op = name();
  if (accept('(')) {
    s.call = true;
    while (!next_.is(')')) {
      if (!s.arguments.empty()) expect(',');
      s.arguments.push_back(argument());
    }
    expect(')');
  }
  expect(';');
  return s;
}

}  // namespace webnn::inline v0_1::text
