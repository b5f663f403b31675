// Files that are written as a whole or not at all. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <utility>

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

struct NewFile {
  std::filesystem::path path{};
  std::function<void(const Put&)> parts{};
};
/// A file with these bytes, which live until it is written.
inline NewFile file_of(std::filesystem::path path, std::span<const std::byte> bytes) {
  return {std::move(path), [bytes](const Put& put) { put(bytes); }};
}
struct FileFailure {
  std::filesystem::path path{};
  Failure failure{};
};
/// Writes a file and those behind it, to which it refers, each as write_file() does. It takes its
/// place last, when what it refers to is there; where it cannot be written, nothing else is
/// replaced either.
[[gnu::visibility("hidden")]] std::optional<FileFailure> write_files(
    std::span<const NewFile> files);

}  // namespace webnn::inline v0_1::formats
