// What WEBNN_SMALL makes.
#pragma once

#include <string_view>

namespace webnn::inline v0_1 {

inline constexpr bool small_library = true;

constexpr bool is_section_known(std::string_view section) {
  return section != "softmax" && section != "unary";
}

}  // namespace webnn::inline v0_1
