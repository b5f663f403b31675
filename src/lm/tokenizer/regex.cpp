#include "src/lm/tokenizer/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr std::size_t max_pattern = 16'384;
constexpr std::uint32_t min_steps = 1'000'000, steps_of_byte = 16;

// PCRE2's own \s has other characters.
constexpr std::string_view white_space =
    R"(\x09-\x0d\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr std::string_view other =
    R"(\x00-\x08\x0e-\x1f\x21-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027})"
    R"(\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff})";

/// The same expression for PCRE2.
std::string translated(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      const char escaped = pattern[++i];
      if (escaped == 's' || escaped == 'S') {
        const std::string_view set = escaped == 's' ? white_space : other;
        if (!in_class) out += '[';
        out += set;
        if (!in_class) out += ']';
      } else {
        out += c;
        out += escaped;
      }
      continue;
    }
    if (c == '[' && !in_class) {
      in_class = true;
      out += c;
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') out += pattern[++i];
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') out += pattern[++i];
      continue;
    }
    if (c == ']') in_class = false;
    out += c;
  }
  return out;
}

struct MatchMemory {
  pcre2_match_data* data;
  pcre2_match_context* context;

  explicit MatchMemory(const pcre2_code* code)
      : data(pcre2_match_data_create_from_pattern(code, nullptr)),
        context(pcre2_match_context_create(nullptr)) {
    if (!data || !context) {
      free_all();
      throw std::bad_alloc();
    }
  }
  MatchMemory(const MatchMemory&) = delete;
  ~MatchMemory() { free_all(); }

 private:
  void free_all() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
  }
};

}  // namespace

struct Regex::Code {
  pcre2_code* code;

  explicit Code(pcre2_code* c) : code(c) {}
  Code(const Code&) = delete;
  ~Code() { pcre2_code_free(code); }
};

Result<Regex> Regex::compile(const std::string& pattern) {
  if (pattern.size() > max_pattern)
    return fail("an expression has {} bytes, more than {}", pattern.size(), max_pattern);
  const std::string text = translated(pattern);
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &at, nullptr);
  if (!code) {
    PCRE2_UCHAR message[256] = {};
    pcre2_get_error_message(error, message, sizeof message);
    return fail("the expression {} is not supported: {}", in_quotes(pattern),
                reinterpret_cast<const char*>(message));
  }
  Regex regex;
  regex.code_ = std::make_shared<const Code>(code);
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // where it cannot, it is interpreted
  return regex;
}

std::vector<Range> Regex::matches(std::string_view text) const {
  const MatchMemory memory(code_->code);
  const std::uint64_t steps = steps_of_byte * static_cast<std::uint64_t>(text.size());
  pcre2_set_match_limit(memory.context,
                        static_cast<std::uint32_t>(std::min<std::uint64_t>(
                            std::max<std::uint64_t>(steps, min_steps), UINT32_MAX)));
  std::vector<Range> found;
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  for (std::size_t at = 0; at < text.size();) {
    const auto match = [&](std::uint32_t options) {
      return pcre2_match(code_->code, subject, text.size(), at,
                         PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY | options, memory.data,
                         memory.context);
    };
    int count = match(0);
    if (count == PCRE2_ERROR_JIT_STACKLIMIT) count = match(PCRE2_NO_JIT);
    if (count == PCRE2_ERROR_NOMATCH) break;
    if (count < 0)
      raise({"an expression takes more steps than the limit for a text of " +
                 std::to_string(text.size()) + " bytes",
             ErrorName::OperationError},
            "tokenizer");
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(memory.data);
    if (ends[0] < at || ends[1] <= ends[0]) break;  // \K can do this
    found.push_back({ends[0], ends[1]});
    at = ends[1];
  }
  return found;
}

}  // namespace webnn::inline v0_1::lm
