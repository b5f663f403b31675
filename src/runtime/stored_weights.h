// Packed weights of an open graph that were stored: all of its sizes find them by the constants of
// the graph, or by how constants were made of these.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/graph/derived_constants.h"
#include "src/runtime/packed_block.h"

namespace webnn::inline v0_1 {

/// A BlockKey with descriptions of its constants (DerivedConstants::description_of()).
struct StoredKey {
  std::string layout{};
  std::size_t bytes = 0;
  std::vector<std::string> constants{};
  auto operator<=>(const StoredKey&) const = default;
};

/// Nothing where a constant is one of a single graph.
std::optional<StoredKey> stored_key(const BlockKey& key, const DerivedConstants& constants);

/// In the order of the keys.
using StoredWeights = std::map<StoredKey, std::shared_ptr<const PackedBlock>>;

}  // namespace webnn::inline v0_1
