#include "tools/webnn/data/labels.h"

#include <algorithm>
#include <cmath>

#include "tools/webnn/common/files.h"

namespace webnn::inline v0_1::tool {

Labels Labels::read(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path, std::uint64_t{1} << 26);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Labels labels;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    labels.lines_.emplace_back(line);
    at = end + 1;
  }
  return labels;
}

std::vector<std::vector<Score>> top_scores(const std::vector<double>& values, std::size_t classes,
                                           std::size_t k, std::size_t rows) {
  std::vector<std::vector<Score>> all;
  for (std::size_t row = 0; row < rows && (row + 1) * classes <= values.size(); ++row) {
    std::vector<Score> scores;
    for (std::size_t i = 0; i < classes; ++i) scores.push_back({i, values[row * classes + i]});
    k = std::min(k, classes);
    std::partial_sort(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(k), scores.end(),
                      [](const Score& a, const Score& b) {
                        if (std::isnan(a.value) || std::isnan(b.value))
                          return !std::isnan(a.value) && std::isnan(b.value);
                        return a.value > b.value || (a.value == b.value && a.index < b.index);
                      });
    scores.resize(k);
    all.push_back(std::move(scores));
  }
  return all;
}

}  // namespace webnn::inline v0_1::tool
