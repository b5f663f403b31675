// Numbers of things in messages. Private.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace webnn::inline v0_1 {

/// "1 thread", "2 threads", "3 classes".
std::string counted(std::integral auto count, std::string_view noun) {
  const std::string_view ending = count == 1 ? "" : noun.ends_with('s') ? "es" : "s";
  return std::to_string(count) + ' ' + std::string(noun) + std::string(ending);
}

}  // namespace webnn::inline v0_1
