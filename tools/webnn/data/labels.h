// Names of classes, and the best of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace webnn::inline v0_1::tool {

class Labels {
 public:
  /// One in each line. Throws CommandError for a file of more than 64 MiB.
  static Labels read(const std::filesystem::path& path);
  const std::string* find(std::size_t index) const {
    return index < lines_.size() ? &lines_[index] : nullptr;
  }
  std::size_t size() const { return lines_.size(); }

 private:
  std::vector<std::string> lines_;
};

struct Score {
  std::size_t index = 0;
  double value = 0;
};
/// The k best of each row of so many classes, best first and of equals the first; at most so many
/// rows. What is not a number comes last.
std::vector<std::vector<Score>> top_scores(const std::vector<double>& values, std::size_t classes,
                                           std::size_t k, std::size_t rows);

}  // namespace webnn::inline v0_1::tool
