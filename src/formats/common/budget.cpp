#include "src/formats/common/budget.h"

#include "src/formats/common/failures.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::formats {

std::uint64_t byte_limit(std::optional<std::uint64_t> max_bytes, std::uint64_t file_bytes) {
  constexpr std::uint64_t always = std::uint64_t{512} << 20, factor = 16;
  return max_bytes ? *max_bytes : always + factor * file_bytes;
}

std::optional<Failure> Budget::spend(std::uint64_t bytes, std::string_view what) {
  const std::uint64_t most = limit();
  if (bytes > most - spent)
    return data_error(fail("memory for {} would exceed the limit of memory ({}) by {} bytes", what,
                           most, bytes - (most - spent)));
  spent += bytes;
  return std::nullopt;
}

std::optional<Failure> Budget::count(std::uint64_t entries) {
  read += entries;
  if (read <= file_bytes + 65536) return std::nullopt;
  return data_error(
      fail("its lists have more entries ({}) than the file has bytes ({})", read, file_bytes));
}

}  // namespace webnn::inline v0_1::formats
