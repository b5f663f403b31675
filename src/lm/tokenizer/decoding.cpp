#include "src/lm/tokenizer/contents.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  text = normalizers::replace(std::string(from), std::string(to))(std::move(text));
}

void byte_fallback(std::string& text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text.back() != '>') return;
  const int high = hexadecimal(text[3]), low = hexadecimal(text[4]);
  if (high >= 0 && low >= 0) text = std::string(1, static_cast<char>(high * 16 + low));
}

/// No spaces before signs, as English has it.
void clean_up(std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> pairs[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : pairs) replace_all(text, from, to);
}

void strip(const DecodeStep& step, std::string& text) {
  std::string_view rest = text;
  for (std::size_t i = 0; i < step.count && rest.starts_with(step.text); ++i)
    rest.remove_prefix(step.text.size());
  for (std::size_t i = 0; i < step.count_at_end && rest.ends_with(step.text); ++i)
    rest.remove_suffix(step.text.size());
  text = std::string(rest);
}

}  // namespace

void Decoding::begin() {
  is_first_ = true;
  space_is_due_ = false;
  to_strip_ = 0;
  for (const DecodeStep& step : steps_)
    if (step.kind == DecodeStep::Kind::strip && step.flag) to_strip_ = step.count;
}

std::string Decoding::put(std::string_view token, bool is_added) {
  std::string text(token);
  for (std::size_t i = 0; i < steps_.size(); ++i) apply(i, text, is_added);
  is_first_ = false;
  return text;
}

void Decoding::apply(std::size_t index, std::string& text, bool is_added) {
  const DecodeStep& step = steps_[index];
  switch (step.kind) {
    case DecodeStep::Kind::byte_level:
      if (!is_added)
        if (auto bytes = from_byte_level(text)) text = std::move(*bytes);
      break;
    case DecodeStep::Kind::byte_fallback: byte_fallback(text); break;
    case DecodeStep::Kind::replace: replace_all(text, step.text, step.content); break;
    case DecodeStep::Kind::strip: {
      if (!step.flag) {
        strip(step, text);
        break;
      }
      while (to_strip_ > 0 && text.starts_with(step.text)) {
        text.erase(0, step.text.size());
        --to_strip_;
      }
      if (!text.empty()) to_strip_ = 0;
      break;
    }
    case DecodeStep::Kind::metaspace:
      replace_all(text, step.text, is_first_ && step.flag ? "" : " ");
      break;
    case DecodeStep::Kind::word_piece:
      if (!is_first_ && text.starts_with(step.text)) text.erase(0, step.text.size());
      else if (!is_first_) text.insert(0, 1, ' ');
      if (step.flag) clean_up(text);
      break;
    case DecodeStep::Kind::end_suffix: {
      const bool space = space_is_due_;
      space_is_due_ = text.ends_with(step.text);
      if (space_is_due_) text.resize(text.size() - step.text.size());
      replace_all(text, step.text, " ");
      if (space) text.insert(0, 1, ' ');
      break;
    }
  }
}

}  // namespace webnn::inline v0_1::lm
