// A file's bytes, mapped into memory where the system can. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "webnn/error.h"

namespace webnn::inline v0_1::formats {

struct MappedFile {
  std::shared_ptr<const void> owner{};
  std::span<const std::byte> bytes{};
};

/// Read only. A DataError for what is not a regular file and for what the system refuses.
[[gnu::visibility("hidden")]] Result<MappedFile> map_file(const std::filesystem::path& path);

/// A file whose name another file has, which is not trusted: `name` is relative, its parts are
/// separated by '/', none of them is "." or "..", and none is a symbolic link. A file with several
/// hard links is refused, for it may be one of another folder.
[[gnu::visibility("hidden")]] Result<MappedFile> map_file_below(const std::filesystem::path& folder,
                                                                std::string_view name);

}  // namespace webnn::inline v0_1::formats
