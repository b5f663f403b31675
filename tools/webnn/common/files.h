// Whole files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "src/formats/registry/format.h"

namespace webnn::inline v0_1::tool {

using registry::extension_of;

/// The maximum size of a file other than a model: 4 GiB.
inline constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 32;

/// Throws CommandError for what is not a regular file, for one of more than `limit` bytes, and for
/// failures of the system.
std::vector<std::byte> read_file(const std::filesystem::path& path,
                                 std::uint64_t limit = max_file_bytes);
/// The file is replaced when all bytes have been written; "-" is the standard output. Throws
/// CommandError with what the system says.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);
/// The files of a model, the model first, as registry::write() does; "-" is one file.
void write_files(std::span<const registry::OutputFile> files);
/// A path for messages.
std::string shown(const std::filesystem::path& path);

}  // namespace webnn::inline v0_1::tool
