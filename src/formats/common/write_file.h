// Writes files so that a reader never sees half of one. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include "webnn/error.h"

namespace webnn::formats {

using Put = std::function<void(std::span<const std::byte>)>;

/// Calls `parts`, which hands the contents to `put` in order, and replaces the file when all bytes
/// have been written: a reader that mapped the old file keeps its contents. An OperationError when
/// the system refuses; what `parts` throws is passed on. In both cases the old file remains.
[[gnu::visibility("hidden")]] std::optional<Failure> write_file(
    const std::filesystem::path& path, const std::function<void(const Put& put)>& parts);

}  // namespace webnn::formats
