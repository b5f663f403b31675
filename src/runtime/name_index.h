// Finds names in a list without going through all of it.
#pragma once

#include <cstdint>

#include "webnn/graph.h"

namespace webnn {

/// Of the inputs or the outputs of a graph. The list lives longer than the index.
class NameIndex {
 public:
  NameIndex() = default;
  explicit NameIndex(const NamedDescriptors& list);

  /// The place of a name, nothing when the list does not have it. `hint` is looked at first.
  std::optional<std::size_t> find(std::string_view name, std::size_t hint) const;

 private:
  const NamedDescriptors* list_ = nullptr;
  std::vector<std::uint32_t> sorted_{};  // places, by name
};

}  // namespace webnn
