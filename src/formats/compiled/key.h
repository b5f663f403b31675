// What has to be the same where a compiled graph is loaded. Private.
#pragma once

#include <optional>

#include "src/runtime/context_state.h"
#include "webnn/compiled.h"

namespace webnn::inline v0_1::compiled {

/// The key of a graph with these passes.
Key key_of(std::span<const std::shared_ptr<const Backend>> backends, const std::string& passes);
std::string to_text(const Key& key);
Key key_from(std::string_view text);
/// The first field that differs, and how.
std::optional<Failure> difference(const Key& of_file, const Key& here);

}  // namespace webnn::inline v0_1::compiled
