// The declarations and statements of a .webnn text. Private.
#pragma once

#include "src/formats/common/value.h"
#include "src/formats/text/lexer.h"
#include "webnn/operand.h"

namespace webnn::inline v0_1::text {

inline constexpr std::size_t max_value_depth = 16;
inline constexpr std::size_t max_statement_values = 1 << 20;

struct Header {
  std::string name{};
  bool quantized = false;
};

enum class Block { inputs, consts, nodes, outputs, end };

/// A size; with a name it is open, and the size is its maximum.
struct Dimension {
  std::uint32_t size = 0;
  std::optional<std::string> name{};
  std::uint32_t min_size = 1;  ///< of an open dimension
};
/// `f32[dyn("batch", 8), 4]`
struct Type {
  MLOperandDataType dataType = float32;
  std::vector<Dimension> shape{};
};

struct Argument {
  std::string_view name{};  ///< empty for one by position
  formats::Value value{};
  std::size_t offset = 0;
};
/// `[a, b] = split(x, splits=[2, 2])`, or `a = x` without arguments.
struct Statement {
  std::vector<Token> results{};
  Token op{};  ///< or the other name, of `a = x`
  bool call = false;
  std::vector<Argument> arguments{};
};

/// Reads one piece after the other. Refuses the text at the first word that does not fit.
class Parser {
 public:
  explicit Parser(const Source& source, std::size_t offset = 0);

  Header header();
  /// The beginning of the next block, or the end of the graph and of the file.
  Block block();
  /// Whether there is one more item in this block; else its end is read.
  bool has_item();
  /// Reads to the end of a block, whatever is in it.
  void skip_block();
  std::size_t offset() const { return next_.offset; }
  const Token& next() const { return next_; }

  /// The name and the type of `x: f32[4]`.
  Token name();
  Type type();
  void end_declaration();  ///< the semicolon
  Statement statement();
  /// One name among the outputs.
  Token output();

  bool accept(char mark);
  void expect(char mark);
  Token take();
  std::string string();
  std::uint32_t integer();
  /// The contents of `#: "x:0"` behind what was read last.
  std::optional<std::string> name_comment();

 private:
  [[noreturn]] void unexpected(std::string_view wanted) const;
  formats::Value value(std::size_t depth);
  formats::Value list(std::size_t depth);
  formats::Value object(std::size_t depth);
  Dimension open_dimension();
  formats::Value dynamic_dimension();
  Argument argument();

  const Source& source_;
  Lexer lexer_;
  Token next_{};
  std::size_t values_ = 0;  // how many this statement has
  std::optional<std::string> name_comment_{};
};

}  // namespace webnn::inline v0_1::text
