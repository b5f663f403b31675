// Messages of the library with the words of the language that is bound.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace webnn::inline v0_1::bindings {

namespace detail {
inline bool in_identifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}
inline std::string camel_case(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (name[i] == '_' && i + 1 < name.size())
      text += static_cast<char>(std::toupper(static_cast<unsigned char>(name[++i])));
    else text += name[i];
  return text;
}
}  // namespace detail

/// A message that says `ImportOptions::dimensions (--dim batch=N)` to programs in C++ and users of
/// the command, and `the option dimensions` to those of the bindings. Other text stays.
inline std::string with_option_names(std::string_view message) {
  constexpr std::string_view scope = "Options::", flag = " (--";
  std::string text;
  for (auto at = message.find(scope); at != std::string_view::npos; at = message.find(scope)) {
    std::size_t begin = at, end = at + scope.size();
    while (begin > 0 && detail::in_identifier(message[begin - 1])) --begin;
    while (end < message.size() && detail::in_identifier(message[end])) ++end;
    text += message.substr(0, begin);
    text += "the option " +
            detail::camel_case(message.substr(at + scope.size(), end - at - scope.size()));
    message.remove_prefix(end);
    if (!message.starts_with(flag)) continue;
    if (const auto close = message.find(')'); close != std::string_view::npos)
      message.remove_prefix(close + 1);
  }
  return text.append(message);
}

}  // namespace webnn::inline v0_1::bindings
