#include "tools/webnn/common/files.h"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "src/formats/common/write_file.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/output.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {

std::string shown(const std::filesystem::path& path) { return escaped(path.string()); }

std::vector<std::byte> read_file(const std::filesystem::path& path, std::uint64_t limit) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw CommandError(shown(path) + ": there is no such file");
  if (!std::filesystem::is_regular_file(status))
    throw CommandError(shown(path) + ": it is not a regular file");
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) throw CommandError(shown(path) + ": " + error.message());
  if (size > limit)
    throw CommandError(shown(path) + ": its size (" + std::to_string(size) + ") is greater than " +
                       std::to_string(limit) + " bytes");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes(size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!file || static_cast<std::uint64_t>(file.gcount()) != size)
    throw CommandError(shown(path) + ": the file cannot be read" + reason_of(errno));
  return bytes;
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  if (path == "-") return print({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (const auto bad = formats::write_file(path, [&](const formats::Put& put) { put(bytes); }))
    throw CommandError(shown(path) + ": " + bad->message);
}

void write_files(std::span<const registry::OutputFile> files) {
  if (files.front().path == "-") return write_file("-", files.front().bytes);
  if (const auto bad = registry::write(files))
    throw CommandError(shown(bad->path) + ": " + bad->failure.message);
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace webnn::inline v0_1::tool
