// What a mistyped word may have been meant as.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace webnn::inline v0_1::tool {

/// The nearest of the words, at most a third of its letters away; empty if there is none.
/// Letters that are missing, added, changed or swapped with the next one count as one each.
std::string suggestion(std::string_view word, std::span<const std::string> known);

}  // namespace webnn::inline v0_1::tool
