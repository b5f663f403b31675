// The code blocks of a Markdown page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace webnn::inline v0_1::test {

struct Block {
  std::string language{};  ///< "cpp", "sh"; "setup" for a comment <!-- setup ... -->
  std::string text{};
  std::size_t line = 0;  ///< the number of its first line, from 1
};
/// Fenced blocks, and comments that begin with the word setup: code that the page does not show.
std::vector<Block> blocks_of(const std::string& page);

std::string read_text(const std::string& path);

}  // namespace webnn::inline v0_1::test
