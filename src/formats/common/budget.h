// What a file that is not trusted may take. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "webnn/error.h"

namespace webnn::inline v0_1::formats {

struct Budget {
  /// ImportOptions::max_bytes, and the size of the file.
  Budget(std::uint64_t max, std::uint64_t file) : max_bytes(max), file_bytes(file) {}

  std::uint64_t max_bytes, file_bytes;
  std::uint64_t spent = 0;  ///< the part of max_bytes that is used
  std::uint64_t read = 0;   ///< entries of lists, which a file may refer to many times

  /// Before memory for constants is allocated. `what` ends the sentence "memory for ...".
  [[gnu::visibility("hidden")]] std::optional<Failure> spend(std::uint64_t bytes,
                                                             std::string_view what);
  /// Before so many entries of lists are read.
  [[gnu::visibility("hidden")]] std::optional<Failure> count(std::uint64_t entries);
};

}  // namespace webnn::inline v0_1::formats
