// Conversations as the text that a language model was trained on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/lm/tokenizer.h"

namespace webnn::inline v0_1::lm {

struct Message {
  std::string role{};     ///< "system", "user", "assistant", "tool"
  std::string content{};  ///< UTF-8
  /// A JSON object with further members, such as tool_calls, or a list in place of the content.
  std::string more{};
};

struct ChatOptions {
  bool addGenerationPrompt = true;  ///< ends with the beginning of the assistant's answer
  std::string tools{};              ///< a JSON list of the functions that the model may call
  std::string variables{};  ///< a JSON object of further variables: {"enable_thinking": false}
  std::string bosToken{}, eosToken{};
  /// The date that the template sees, in seconds since 1970; absent: now. It is shown as local
  /// time.
  std::optional<std::int64_t> time{};
  std::uint64_t maxSteps = 20'000'000;  ///< of work
  std::size_t maxBytes = 64 << 20;      ///< of the result
};

/// A template in Jinja, in the subset that the files of models use: loops, conditions, assignments,
/// namespaces, macros, filters, tests, methods of texts, lists and objects. It sees the messages
/// and the options and nothing else, and cannot change them. As in Hugging Face's library, the
/// first line break after a block and the spaces before it are dropped. Immutable, so it may be
/// used by several threads at once.
class ChatTemplate {
 public:
  /// Throws DataError, with the line, for a text that is not a template, and NotSupportedError for
  /// parts of Jinja beyond the subset.
  explicit ChatTemplate(std::string_view text, std::string_view label = {});

  /// Throws TypeError with the template's message if it refuses the messages, and for options that
  /// are not JSON; DataError if the template is wrong; OperationError beyond the limits.
  std::string apply(const std::vector<Message>& messages, const ChatOptions& options = {}) const;

 private:
  struct Contents;
  std::shared_ptr<const Contents> contents_;
};

/// Applies the model's own template to messages; the tokenizer gives the tokens that the template
/// names. Throws InvalidStateError if the tokenizer has no template.
std::string apply_chat_template(const Tokenizer& tokenizer, const std::vector<Message>& messages,
                                ChatOptions options = {});

}  // namespace webnn::inline v0_1::lm
