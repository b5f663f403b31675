#include "tests/docs/blocks.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace webnn::inline v0_1::test {

std::vector<Block> blocks_of(const std::string& page) {
  std::vector<Block> all;
  std::istringstream lines(page);
  std::string line;
  bool open = false;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const bool fence = line.rfind("```", 0) == 0;
    if (!open && (fence || line.rfind("<!-- setup", 0) == 0)) {
      all.push_back({fence ? line.substr(3) : "setup", "", number + 1});
      open = line.find("-->") == std::string::npos;
    } else if (open && (all.back().language == "setup" ? line == "-->" : fence)) {
      open = false;
    } else if (open) {
      all.back().text += line + '\n';
    }
  }
  return all;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::stringstream s;
  s << file.rdbuf();
  return s.str();
}

}  // namespace webnn::inline v0_1::test
