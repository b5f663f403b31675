#include "src/runtime/name_index.h"

#include <algorithm>
#include <numeric>

namespace webnn::inline v0_1 {

NameIndex::NameIndex(const NamedDescriptors& list) : list_(&list), sorted_(list.size()) {
  std::iota(sorted_.begin(), sorted_.end(), 0u);
  std::sort(sorted_.begin(), sorted_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return list[a].name < list[b].name; });
}

std::size_t NameIndex::search(std::string_view name) const {
  const NamedDescriptors& list = *list_;
  const auto at =
      std::lower_bound(sorted_.begin(), sorted_.end(), name,
                       [&](std::uint32_t i, std::string_view n) { return list[i].name < n; });
  if (at == sorted_.end() || list[*at].name != name) return none;
  return *at;
}

}  // namespace webnn::inline v0_1
