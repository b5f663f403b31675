// What methods and filters do to texts. Private.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace webnn::inline v0_1::lm::jinja {

class Interpreter;

/// Without the characters of the set at its ends; no set: white space.
std::string stripped(std::string_view text, const std::optional<std::string>& set, bool left,
                     bool right);
/// At most so many cuts, from the left or from the right; negative: all.
std::vector<std::string_view> split_by(std::string_view text, std::string_view separator,
                                       std::int64_t most, bool from_right);
std::vector<std::string_view> split_by_space(std::string_view text, std::int64_t most);
std::string upper(std::string_view text);
std::string lower(std::string_view text);
std::string title(std::string_view text);
std::string capitalized(std::string_view text);
/// At most `count` times; negative: all. The size of the result is work.
std::string replaced(Interpreter& interpreter, std::string_view text, std::string_view from,
                     std::string_view to, std::int64_t count);

}  // namespace webnn::inline v0_1::lm::jinja
