// What a file that is not trusted may take. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "webnn/error.h"

namespace webnn::inline v0_1::formats {

/// ImportOptions::max_bytes, whose default is the same for all formats: 512 MiB and 16 times the
/// bytes that are read.
[[gnu::visibility("hidden")]] std::uint64_t byte_limit(std::optional<std::uint64_t> max_bytes,
                                                       std::uint64_t file_bytes);

struct Budget {
  /// ImportOptions::max_bytes, and the size of the file.
  Budget(std::optional<std::uint64_t> max, std::uint64_t file) : max_bytes(max), file_bytes(file) {}

  std::optional<std::uint64_t> max_bytes;
  std::uint64_t file_bytes;
  std::uint64_t bytes_beside = 0;  ///< of files beside it that are read too
  std::uint64_t spent = 0;         ///< of max_bytes
  std::uint64_t read = 0;          ///< entries of lists, which a file may refer to many times

  std::uint64_t limit() const { return byte_limit(max_bytes, file_bytes + bytes_beside); }
  /// Before memory for constants is allocated. `what` ends the sentence "memory for ...".
  [[gnu::visibility("hidden")]] std::optional<Failure> spend(std::uint64_t bytes,
                                                             std::string_view what);
  /// Before so many entries of lists are read.
  [[gnu::visibility("hidden")]] std::optional<Failure> count(std::uint64_t entries);
};

}  // namespace webnn::inline v0_1::formats
