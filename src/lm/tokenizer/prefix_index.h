// Texts, and which of them a text begins with. Private.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace webnn::inline v0_1::lm {

/// Keys in their order: each byte of a text halves the range of those that are still possible.
class PrefixIndex {
 public:
  struct Entry {
    std::string key;
    std::int32_t value = 0;
  };

  PrefixIndex() = default;
  /// Of keys that are equal, the last one stays. Empty keys are left out.
  explicit PrefixIndex(std::vector<Entry> entries) : entries_(std::move(entries)) {
    std::erase_if(entries_, [](const Entry& e) { return e.key.empty(); });
    std::ranges::stable_sort(entries_, {}, &Entry::key);
    const auto same = [](const Entry& a, const Entry& b) { return a.key == b.key; };
    const auto twice = std::unique(entries_.rbegin(), entries_.rend(), same);
    entries_.erase(entries_.begin(), twice.base());
    std::size_t at = 0;
    for (std::size_t c = 0; c < 256; ++c) {
      while (at < entries_.size() && byte_of(entries_[at].key, 0) < c) ++at;
      first_[c] = at;
    }
    first_[256] = entries_.size();
  }

  bool empty() const { return entries_.empty(); }

  /// f(length, value) for each key that the text begins with, shorter ones first.
  template <class F> void for_each_prefix(std::string_view text, F f) const {
    if (text.empty() || entries_.empty()) return;
    const std::size_t c = byte_of(text, 0);
    std::size_t low = first_[c], high = first_[c + 1];
    for (std::size_t depth = 1; low < high; ++depth) {
      if (entries_[low].key.size() == depth) {
        f(depth, entries_[low].value);
        ++low;
      }
      if (depth == text.size()) return;
      narrow(low, high, depth, byte_of(text, depth));
    }
  }
  /// The longest of them; length 0 where there is none.
  struct Match {
    std::size_t length = 0;
    std::int32_t value = 0;
  };
  Match longest_prefix(std::string_view text) const {
    Match longest;
    for_each_prefix(text, [&](std::size_t length, std::int32_t v) { longest = {length, v}; });
    return longest;
  }

 private:
  static std::size_t byte_of(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  }
  /// To the keys of low ... high, which are longer than depth, with that byte there.
  void narrow(std::size_t& low, std::size_t& high, std::size_t depth, std::size_t byte) const {
    const auto at = [&](const Entry& e) { return byte_of(e.key, depth); };
    const auto begin = entries_.begin(), end = begin + static_cast<std::ptrdiff_t>(high);
    const auto first =
        std::ranges::lower_bound(begin + static_cast<std::ptrdiff_t>(low), end, byte, {}, at);
    low = static_cast<std::size_t>(first - begin);
    high = static_cast<std::size_t>(std::ranges::upper_bound(first, end, byte, {}, at) - begin);
  }

  std::vector<Entry> entries_{};
  std::array<std::size_t, 257> first_{};
};

}  // namespace webnn::inline v0_1::lm
