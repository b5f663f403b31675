// What a source file includes.
#pragma once

#include <istream>
#include <sstream>
#include <string>
#include <vector>

namespace webnn::inline v0_1::test {

/// The headers that a text includes.
inline std::vector<std::string> headers_in(std::istream& text) {
  std::vector<std::string> headers;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    char hash = 0;
    std::string word;
    if (!(words >> hash >> word) || hash != '#' || !word.starts_with("include")) continue;
    const std::size_t open = line.find_first_of("\"<");
    if (open == std::string::npos) continue;  // a macro
    const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
    if (close != std::string::npos) headers.push_back(line.substr(open + 1, close - open - 1));
  }
  return headers;
}

}  // namespace webnn::inline v0_1::test
