// Files that are written as a whole or not at all. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include "webnn/error.h"

namespace webnn::inline v0_1::formats {

/// Appends bytes to a file.
using Put = std::function<void(std::span<const std::byte>)>;

/// Replaces the contents of a file, or makes one, with what `parts` puts. The bytes are first
/// written to another file in the same folder, so that the file has its old contents or all of the
/// new ones, whatever happens; a process that has mapped the old contents keeps them. A symbolic
/// link is followed, and the file keeps its permissions. Devices and pipes are written directly.
/// Returns what the system refused, with its reason, and lets through what `parts` throws: nothing
/// has changed then.
[[gnu::visibility("hidden")]] std::optional<Failure> write_file(
    const std::filesystem::path& path, const std::function<void(const Put&)>& parts);

}  // namespace webnn::inline v0_1::formats
