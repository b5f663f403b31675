#include "tools/webnn/common/suggest.h"

#include <algorithm>
#include <vector>

namespace webnn::inline v0_1::tool {
namespace {

/// Optimal string alignment.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t k = 0; k <= b.size(); ++k) {
      if (i == 0 || k == 0) {
        d[i][k] = i + k;
        continue;
      }
      d[i][k] = std::min(
          {d[i - 1][k] + 1, d[i][k - 1] + 1, d[i - 1][k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1)});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        d[i][k] = std::min(d[i][k], d[i - 2][k - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t longest = 64;
  if (word.size() > longest) return "";
  std::string best;
  std::size_t least = longest;
  for (const std::string& k : known) {
    const std::size_t apart = distance(word, k);
    if (apart >= least || apart > std::max<std::size_t>(1, k.size() / 3)) continue;
    least = apart;
    best = k;
  }
  return best;
}

}  // namespace webnn::inline v0_1::tool
