// What is done to a text before the model sees it, and to tokens after it. Private.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/lm/tokenizer/prefix_index.h"
#include "src/lm/tokenizer/regex.h"
#include "webnn/lm/tokenizer.h"

namespace webnn::inline v0_1::lm {

using Normalizer = std::function<std::string(std::string)>;

namespace normalizers {

Normalizer sequence(std::vector<Normalizer> all);
Normalizer nfc();
Normalizer nfd();
Normalizer nfkc();
Normalizer nfkd();
Normalizer lowercase();
Normalizer strip(bool left, bool right);
Normalizer strip_accents();
Normalizer prepend(std::string text);
Normalizer replace(std::string text, std::string content);
Normalizer replace(Regex pattern, std::string content);
struct BertOptions {
  bool clean_text = true, spaces_around_ideographs = true, lowercase = true, strip_accents = true;
};
Normalizer bert(const BertOptions& options);
/// The table of SentencePiece: a double array of replacements. A failure for a broken one.
Result<Normalizer> precompiled(std::string table);

}  // namespace normalizers

/// A part of the text on its way to the model.
struct Piece {
  std::string text;
  bool is_first = false;  // of the whole text
};
using PreTokenizer = std::function<std::vector<Piece>(std::vector<Piece>)>;

/// What becomes of the parts that match.
enum class Behavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

namespace pre_tokenizers {

PreTokenizer sequence(std::vector<PreTokenizer> all);
PreTokenizer split(Regex pattern, Behavior behavior, bool invert);
PreTokenizer split(std::string text, Behavior behavior, bool invert);
/// One character at a time.
PreTokenizer split(bool (*is)(char32_t), Behavior behavior);
PreTokenizer digits(bool individual);
/// ASCII's, and Unicode's category P.
PreTokenizer punctuation(Behavior behavior);
PreTokenizer bert();
/// The bytes as characters that can be seen; the expression of GPT-2, if there is one, is first.
PreTokenizer byte_level(bool add_prefix_space, const Regex* expression);
enum class Prepend { always, first, never };
PreTokenizer metaspace(std::string replacement, Prepend prepend, bool split);

}  // namespace pre_tokenizers

// The characters of byte-level BPE: 256, one for each byte.

std::string to_byte_level(std::string_view bytes);
/// The bytes; nothing where a character is not one of the 256.
std::optional<std::string> from_byte_level(std::string_view text);

/// One step of decoding, a token at a time.
struct DecodeStep {
  enum class Kind {
    byte_level,
    byte_fallback,  // <0x0A>
    replace,        // text by content
    strip,       // up to `count` times `text` from the beginning of a token, or of the whole text
    metaspace,   // text by a space; none at the beginning
    word_piece,  // a space before tokens that do not begin with the text
    end_suffix   // text by a space, but not at the end
  };
  Kind kind;
  std::string text{}, content{};
  std::size_t count = 0, count_at_end = 0;
  bool flag =
      false;  // strip: of the whole text; metaspace: drop the first space; word_piece: clean
};

/// A token that is found in texts before anything else.
struct AddedToken {
  std::string text;
  Token token = 0;
  bool is_special = false, single_word = false, left_strip = false, right_strip = false;
  bool is_normalized = false;  // it is found after normalization
};

/// Finds added tokens.
class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> all);

  struct Part {
    std::string_view text;
    std::optional<Token> token;  // of the part that is one
  };
  /// Special tokens only with `special`. Parts of text are not empty.
  std::vector<Part> split(std::string_view text, bool special) const;

 private:
  std::vector<AddedToken> all_{};
  PrefixIndex every_{}, ordinary_{};  // their indices
};

}  // namespace webnn::inline v0_1::lm
