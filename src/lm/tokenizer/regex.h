// The regular expressions of tokenizers. Private; regex.cpp is the adapter of PCRE2.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/error.h"

namespace webnn::inline v0_1::lm {

/// A part of a text, in bytes.
struct Range {
  std::size_t begin = 0, end = 0;
  bool operator==(const Range&) const = default;
};

/// An expression of Oniguruma, of the part that tokenizers use: \s is Unicode's White_Space.
class Regex {
 public:
  static Result<Regex> compile(const std::string& pattern);

  /// What is not empty, from left to right. The text is valid UTF-8. Throws OperationError if the
  /// expression takes more steps than the limit.
  std::vector<Range> matches(std::string_view text) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace webnn::inline v0_1::lm
