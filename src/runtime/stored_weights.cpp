#include "src/runtime/stored_weights.h"

namespace webnn::inline v0_1 {

std::optional<StoredKey> stored_key(const BlockKey& key, const DerivedConstants& constants) {
  StoredKey stored{key.layout, key.bytes, {}};
  for (const auto& facts : key.constants) {
    auto description = constants.description_of(*facts);
    if (!description) return std::nullopt;
    stored.constants.push_back(std::move(*description));
  }
  return stored;
}

}  // namespace webnn::inline v0_1
