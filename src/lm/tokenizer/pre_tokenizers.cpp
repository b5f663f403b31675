#include <algorithm>

#include "src/lm/tokenizer/parts.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm::pre_tokenizers {
namespace {

struct Part {
  Range range;
  bool is_match;
};

/// The matches and what is between them, in order; with `invert` they change their roles.
std::vector<Part> parts_of(const std::vector<Range>& matches, std::size_t size, bool invert) {
  std::vector<Part> parts;
  std::size_t at = 0;
  for (const Range& m : matches) {
    if (m.begin > at) parts.push_back({{at, m.begin}, invert});
    parts.push_back({m, !invert});
    at = m.end;
  }
  if (at < size) parts.push_back({{at, size}, invert});
  return parts;
}

std::vector<Range> ranges_of(const std::vector<Part>& parts, Behavior behavior) {
  std::vector<Range> ranges;
  bool before = false;  // whether the part before was a match
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [range, is_match] = parts[i];
    bool joins = false;
    switch (behavior) {
      case Behavior::removed: break;
      case Behavior::isolated: break;
      case Behavior::merged_with_previous: joins = is_match && !before; break;
      case Behavior::merged_with_next: joins = before && !is_match; break;
      case Behavior::contiguous: joins = is_match == before; break;
    }
    if (joins && i > 0) ranges.back().end = range.end;
    else if (behavior != Behavior::removed || !is_match) ranges.push_back(range);
    before = is_match;
  }
  return ranges;
}

/// Splits each piece; find(text) gives its matches.
template <class Find>
std::vector<Piece> split_pieces(std::vector<Piece> pieces, Find find, Behavior behavior,
                                bool invert) {
  std::vector<Piece> out;
  for (Piece& p : pieces) {
    const auto ranges = ranges_of(parts_of(find(p.text), p.text.size(), invert), behavior);
    for (const Range& r : ranges)
      out.push_back({p.text.substr(r.begin, r.end - r.begin), p.is_first && r.begin == 0});
  }
  return out;
}

std::vector<Range> found(std::string_view text, std::string_view part) {
  std::vector<Range> matches;
  if (part.empty()) return matches;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    matches.push_back({at, at + part.size()});
  return matches;
}

bool is_bert_punctuation(char32_t c) {
  const bool ascii = (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
                     (c >= 123 && c <= 126);
  return ascii || is_punctuation(c);
}

}  // namespace

PreTokenizer sequence(std::vector<PreTokenizer> all) {
  return [all = std::move(all)](std::vector<Piece> pieces) {
    for (const PreTokenizer& one : all) pieces = one(std::move(pieces));
    return pieces;
  };
}

PreTokenizer split(Regex pattern, Behavior behavior, bool invert) {
  return [=, pattern = std::move(pattern)](std::vector<Piece> pieces) {
    const auto find = [&](const std::string& text) { return pattern.matches(text); };
    return split_pieces(std::move(pieces), find, behavior, invert);
  };
}

PreTokenizer split(std::string part, Behavior behavior, bool invert) {
  return [=, part = std::move(part)](std::vector<Piece> pieces) {
    const auto find = [&](const std::string& text) { return found(text, part); };
    return split_pieces(std::move(pieces), find, behavior, invert);
  };
}

PreTokenizer split(bool (*is)(char32_t), Behavior behavior) {
  return [=](std::vector<Piece> pieces) {
    const auto find = [&](const std::string& text) {
      std::vector<Range> matches;
      for_each_character(text, [&](char32_t c, std::string_view bytes) {
        const auto at = static_cast<std::size_t>(bytes.data() - text.data());
        if (is(c)) matches.push_back({at, at + bytes.size()});
      });
      return matches;
    };
    return split_pieces(std::move(pieces), find, behavior, false);
  };
}

PreTokenizer digits(bool individual) {
  return split(&is_number, individual ? Behavior::isolated : Behavior::contiguous);
}

PreTokenizer punctuation(Behavior behavior) { return split(&is_bert_punctuation, behavior); }

PreTokenizer bert() {
  return sequence({split(&is_white_space, Behavior::removed), punctuation(Behavior::isolated)});
}

PreTokenizer byte_level(bool add_prefix_space, const Regex* expression) {
  PreTokenizer words;
  if (expression) words = split(*expression, Behavior::isolated, false);
  return [=, words = std::move(words)](std::vector<Piece> pieces) {
    for (Piece& p : pieces)
      if (add_prefix_space && !p.text.starts_with(' ')) p.text.insert(0, 1, ' ');
    if (words) pieces = words(std::move(pieces));
    for (Piece& p : pieces) p.text = to_byte_level(p.text);
    return pieces;
  };
}

PreTokenizer metaspace(std::string replacement, Prepend prepend, bool splits) {
  const Normalizer spaces = normalizers::replace(" ", replacement);
  PreTokenizer words = split(replacement, Behavior::merged_with_next, false);
  return [=, words = std::move(words),
          replacement = std::move(replacement)](std::vector<Piece> pieces) {
    for (Piece& p : pieces) {
      p.text = spaces(std::move(p.text));
      const bool wanted = prepend == Prepend::always || (prepend == Prepend::first && p.is_first);
      if (wanted && !p.text.starts_with(replacement)) p.text.insert(0, replacement);
    }
    return splits ? words(std::move(pieces)) : pieces;
  };
}

}  // namespace webnn::inline v0_1::lm::pre_tokenizers
