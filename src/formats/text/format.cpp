// format(): the words of a text, laid out in the usual way.
#include "src/formats/text/parser.h"
#include "webnn/text.h"

namespace webnn::inline v0_1::text {
namespace {

using Kind = Token::Kind;

/// The words of a constant, up to the end of its declaration. Their brackets are closed in it.
void skip_value(Parser& parser) {
  std::size_t open = 0;
  for (;; parser.take()) {
    const Token& t = parser.next();
    if (t.is('(') || t.is('[') || t.is('{')) ++open;
    else if (t.kind == Kind::end || t.is(';') || t.is('}') || t.is(')') || t.is(']')) {
      if (open == 0) return;
      if (t.kind == Kind::end || t.is(';')) parser.expect(')');  // which is not there
      --open;
    }
  }
}

/// Refuses what is not a graph. Names and operators are not looked at.
void check_syntax(const Source& source) {
  Parser parser(source);
  parser.header();
  for (Block b = parser.block(); b != Block::end; b = parser.block())
    while (parser.has_item()) {
      if (b == Block::nodes) {
        parser.statement();
      } else if (b == Block::outputs) {
        parser.output();
      } else {
        parser.name();
        parser.expect(':');
        parser.type();
        if (b == Block::consts) skip_value(parser);
        parser.end_declaration();
      }
    }
}

struct Line {
  std::size_t level = 0;  ///< how far lines are indented
  std::string text{};
  bool empty_before = false;
};

class Layout {
 public:
  explicit Layout(const Source& source) : lexer_(source) {}

  std::string run() {
    for (Token t = lexer_.next(); t.kind != Kind::end; t = lexer_.next()) {
      if (t.kind == Kind::comment) comment(t);
      else if (brackets_ == 0 && t.is('{')) open();
      else if (brackets_ == 0 && t.is('}')) close();
      else if (outputs_) output(t);
      else word(t);
      if (t.kind != Kind::comment) last_ = t;
    }
    std::string out;
    for (const Line& line : lines_) {
      if (line.empty_before && !out.empty()) out += '\n';
      out += std::string(2 * line.level, ' ') + line.text + '\n';
    }
    return out;
  }

 private:
  /// A comment stays behind what is before it in its line.
  void comment(const Token& t) {
    if (!t.line_before && !lines_.empty()) lines_.back().text += "  " + std::string(t.text);
    else begin_line(t.empty_before, std::string(t.text));
    in_line_ = plain_ = false;
  }

  void open() {
    in_statement_ = false;
    if (in_line_) lines_.back().text += " {";
    else begin_line(false, "{");  // a comment ended the line
    outputs_ = depth_ == 1 && last_.is("outputs");
    block_ = lines_.size() - 1;
    ++depth_;
    in_line_ = false;
    first_ = plain_ = true;
  }
  void close() {
    --depth_;
    in_line_ = in_statement_ = false;
    if (last_.is('{') && plain_) lines_.back().text += '}';
    else begin_line(false, "}");
    if (outputs_ && plain_) join_outputs();
    outputs_ = plain_ = false;
  }

  /// Names of outputs are one a line, each with its semicolon ...
  void output(const Token& t) {
    if (t.kind == Kind::identifier) begin_line(t.empty_before, std::string(t.text) + ';');
  }
  /// ... or all in one line, where there are no comments and that is not too long.
  void join_outputs() {
    constexpr std::size_t max_width = 98;
    std::string all;
    for (std::size_t i = block_; i < lines_.size(); ++i)
      all += (all.empty() ? "" : " ") + lines_[i].text;
    if (all.size() > max_width) return;
    lines_.resize(block_ + 1);
    lines_.back().text = std::move(all);
  }

  void word(const Token& t) {
    if (!in_line_) begin_line(t.empty_before || (depth_ == 1 && last_.is('}')), {});
    else if (has_space(t)) lines_.back().text += ' ';
    lines_.back().text += t.text;
    if (t.is('(') || t.is('[') || t.is('{')) ++brackets_;
    if ((t.is(')') || t.is(']') || t.is('}')) && brackets_ > 0) --brackets_;
    in_line_ = in_statement_ = brackets_ > 0 || !t.is(';');
  }

  void begin_line(bool empty_before, std::string text) {
    const std::size_t level = depth_ + (in_statement_ ? 2 : 0);
    lines_.push_back({level, std::move(text), empty_before && !first_ && !in_statement_});
    first_ = false;
  }

  bool has_space(const Token& t) const {
    const auto one_of = [](const Token& x, std::string_view marks) {
      return x.kind == Kind::mark && marks.find(x.text[0]) != std::string_view::npos;
    };
    if (depth_ == 0 && last_.is("v") && t.kind == Kind::number) return false;
    if (one_of(t, ",;:)]}(") || one_of(last_, "([{")) return false;
    if (t.is('[') && last_.kind == Kind::identifier) return false;  // f32[4]
    if (t.is('=') || last_.is('=')) return brackets_ == 0;
    return true;
  }

  Lexer lexer_;
  std::vector<Line> lines_{};
  Token last_{};  // that is not a comment
  std::size_t depth_ = 0, brackets_ = 0;
  std::size_t block_ = 0;  // the line with which it begins
  bool in_line_ = false, in_statement_ = false, outputs_ = false;
  bool first_ = false;  // nothing is in the block yet
  bool plain_ = false;  // there is no comment in the block yet
};

}  // namespace

std::string format(std::string_view text, std::string_view label) {
  const Source source{text, std::string(label)};
  check_syntax(source);
  return Layout(source).run();
}

}  // namespace webnn::inline v0_1::text
