// Finds names in a list without going through all of it.
#pragma once

#include <cstdint>

#include "webnn/graph.h"

namespace webnn::inline v0_1 {

/// Finds the inputs or the outputs of a graph by their names. The list lives longer than the index.
class NameIndex {
 public:
  NameIndex() = default;
  explicit NameIndex(const NamedDescriptors& list);

  static constexpr auto none = static_cast<std::size_t>(-1);

  /// The place of a name, or none. `hint` is looked at first.
  std::size_t find(std::string_view name, std::size_t hint) const {
    return hint < list_->size() && (*list_)[hint].name == name ? hint : search(name);
  }

 private:
  std::size_t search(std::string_view name) const;

  const NamedDescriptors* list_ = nullptr;
  std::vector<std::uint32_t> sorted_{};  // places, by name
};

}  // namespace webnn::inline v0_1
