#include "src/formats/common/constant_names.h"

#include <set>

namespace webnn::inline v0_1::formats {

bool is_utf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    const auto at = [&](std::size_t k) { return static_cast<unsigned char>(s[k]); };
    const unsigned char c = at(i);
    const std::size_t more = c < 0x80       ? 0
                             : c >> 5 == 6  ? 1
                             : c >> 4 == 14 ? 2
                             : c >> 3 == 30 ? 3
                                            : 9;
    if (more == 9 || i + more >= s.size()) return false;
    std::uint32_t code = more == 0 ? c : c & (0x3fu >> more);
    for (std::size_t k = 1; k <= more; ++k) {
      if (at(i + k) >> 6 != 2) return false;
      code = code << 6 | (at(i + k) & 0x3fu);
    }
    constexpr std::uint32_t min_code[] = {0, 0x80, 0x800, 0x10000};
    if (code < min_code[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    i += more + 1;
  }
  return true;
}

std::vector<NamedConstant> constants_of(const Graph& graph, const NameOf& name_of) {
  std::vector<NamedConstant> all;
  std::set<std::string> names;
  std::vector<bool> seen(graph.operand_count());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    const std::string label(node.label());
    const bool named = !label.empty() && is_utf8(label);
    const std::string owner = named     ? label
                              : name_of ? name_of(node)
                                        : std::string(node.name()) + '_' + std::to_string(i);
    for (const auto& [row, x] : node.named_inputs()) {
      if (!x.constant() || seen[x.record().id]) continue;
      seen[x.record().id] = true;
      std::string name = owner + '.' + row;
      for (int k = 2; !names.insert(name).second; ++k)
        name = owner + '.' + row + '_' + std::to_string(k);
      all.push_back({std::move(name), x});
    }
  }
  return all;
}

}  // namespace webnn::inline v0_1::formats
